#include "tests/examples/example_run.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace retrykit {
namespace {

TextLines LinesOf(const std::string& text) {
  std::istringstream stream(text);
  TextLines lines;
  std::string line;
  while (std::getline(stream, line)) lines.push_back(line);
  return lines;
}

}  // namespace

ExampleRun RunExample(const std::string& command) {
  ExampleRun run;
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return run;
  std::string text;
  char part[4096];
  while (const size_t size = std::fread(part, 1, sizeof(part), output)) {
    text.append(part, size);
  }
  const int status = pclose(output);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  run.lines = LinesOf(text);
  return run;
}

TextLines ShownOutput(const std::string& readme) {
  std::ifstream file(readme);
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  TextLines output;
  bool inside = false;
  for (const std::string& line : LinesOf(text)) {
    if (line == "```") inside = false;
    if (inside) output.push_back(line);
    if (line.rfind("$ bazel run ", 0) == 0) inside = true;
  }
  return output;
}

std::map<std::string, double> NumbersOf(const std::string& name,
                                        const std::string& line) {
  std::map<std::string, double> numbers;
  std::istringstream words(line);
  std::string word;
  if (!(words >> word) || word != name + ":") return {};
  while (words >> word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return {};
    numbers[word.substr(0, equals)] =
        std::strtod(word.c_str() + equals + 1, nullptr);
  }
  return numbers;
}

std::set<std::string> ShapesOf(const TextLines& lines) {
  std::set<std::string> shapes;
  for (const std::string& line : lines) {
    const std::string shape =
        std::regex_replace(line, std::regex("-?[0-9.]+"), "N");
    shapes.insert(std::regex_replace(shape, std::regex(" +"), " "));
  }
  return shapes;
}

}  // namespace retrykit
