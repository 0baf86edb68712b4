// The README's example is compiled: it stands in examples/minimal/main.cc.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace retrykit {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ReadmeTest, ItsExampleIsTheMinimalOne) {
  const std::string readme = ReadAll("README.md");
  const std::string source = ReadAll("examples/minimal/main.cc");
  const std::string opening = "```cpp\n";
  const size_t begin = readme.find(opening);
  ASSERT_NE(begin, std::string::npos);
  const size_t code = begin + opening.size();
  const std::string example =
      readme.substr(code, readme.find("```", code) - code);
  EXPECT_GT(example.size(), 100u);
  EXPECT_NE(source.find(example), std::string::npos) << example;
}

}  // namespace
}  // namespace retrykit
