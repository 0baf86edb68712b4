#include "tests/architecture/include_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace retrykit {
namespace architecture {
namespace {

using Patterns = std::vector<std::string>;

// Room -> what its files may include. A room's name is its folder; that of the
// facade stands for the files of the folder itself.
using Rules = std::map<std::string, Patterns>;

const char kFacade[] = "interceptors/*";

const Rules& RoomsOfTheToolkit() {
  static const Rules* const rules = new Rules{
      {"interceptors/core/", {"interceptors/core/", "absl/"}},
      {"interceptors/policy/",
       {"interceptors/policy/", "interceptors/core/", "absl/"}},
      {"interceptors/config/",
       {"interceptors/config/", "interceptors/policy/", "interceptors/core/",
        "proto/", "absl/", "google/protobuf/", "nlohmann/"}},
      {"interceptors/engine/",
       {"interceptors/engine/", "interceptors/policy/", "interceptors/core/",
        "absl/"}},
      // Status details are read and written with messages of proto/.
      {"interceptors/adapter/",
       {"interceptors/adapter/", "interceptors/engine/", "interceptors/config/",
        "interceptors/policy/", "interceptors/core/", "proto/", "absl/",
        "google/protobuf/", "grpc/", "grpcpp/", "pthread.h"}},
      {"interceptors/telemetry/",
       {"interceptors/telemetry/", "interceptors/engine/events*",
        "interceptors/core/", "absl/", "prometheus/"}},
      {kFacade,
       {kFacade, "interceptors/adapter/", "interceptors/config/",
        "interceptors/telemetry/", "interceptors/engine/events*",
        "interceptors/core/", "absl/", "grpc/", "grpcpp/", "prometheus/"}},
      {"cli/",
       {"cli/", "interceptors/config/", "interceptors/engine/",
        "interceptors/policy/", "interceptors/telemetry/", "interceptors/core/",
        "proto/", "absl/", "google/protobuf/", "nlohmann/",
        "grpcpp/support/validate_service_config.h", "unistd.h"}},
      // Some start a server process.
      {"examples/",
       {"examples/", kFacade, "proto/", "absl/", "google/protobuf/", "grpc/",
        "grpcpp/", "prometheus/", "netinet/", "sys/", "unistd.h"}},
  };
  return *rules;
}

// The folder of a room's tests: "interceptors/core/" -> "tests/core/".
std::string TestFolder(const std::string& room) {
  if (room == kFacade) return "tests/facade/";
  const std::string toolkit = "interceptors/";
  if (room.compare(0, toolkit.size(), toolkit) == 0)
    return "tests/" + room.substr(toolkit.size());
  return "tests/" + room;
}

void Append(const Patterns& more, Patterns& patterns) {
  patterns.insert(patterns.end(), more.begin(), more.end());
}

Rules AllRules() {
  Rules rules = RoomsOfTheToolkit();
  const Patterns test_tools = {"tests/support/", "proto/", "gtest/", "gmock/"};
  const Patterns everything = {
      "interceptors/", "cli/",      "proto/",           "tests/", "absl/",
      "grpc/",         "grpcpp/",   "google/protobuf/", "gtest/", "gmock/",
      "benchmark/",    "nlohmann/", "prometheus/",      "arpa/",  "netinet/",
      "sys/",          "pthread.h", "unistd.h"};
  // The tests of a room see what the room sees, the room itself, and the test
  // kit.
  for (const auto& [room, allowed] : RoomsOfTheToolkit()) {
    Patterns& patterns = rules[TestFolder(room)];
    patterns = {TestFolder(room)};
    Append(allowed, patterns);
    Append(test_tools, patterns);
  }
  // gRPC's own verdict on a config, to compare with.
  rules["tests/config/"].push_back("grpcpp/support/validate_service_config.h");
  for (const char* folder :
       {"support", "end_to_end", "property", "fuzz", "benchmark", "soak"}) {
    rules[std::string("tests/") + folder + "/"] = everything;
  }
  rules["tests/soak/"].push_back("malloc.h");  // How much is in use.
  rules["tests/architecture/"] = {"tests/architecture/", "gtest/", "gmock/"};
  rules["tests/*"] = {};
  return rules;
}

const Rules& TheRules() {
  static const Rules* const rules = new Rules(AllRules());
  return *rules;
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool Matches(const std::string& pattern, const std::string& path) {
  if (pattern.back() == '/') return StartsWith(path, pattern);
  if (pattern.back() != '*') return path == pattern;
  const std::string start = pattern.substr(0, pattern.size() - 1);
  return StartsWith(path, start) &&
         path.find('/', start.size()) == std::string::npos;
}

// The rule of the room that `path` is in; null outside every room.
const Patterns* RuleFor(const std::string& path) {
  for (const auto& [room, allowed] : TheRules()) {
    if (Matches(room, path)) return &allowed;
  }
  return nullptr;
}

bool IsStandardHeader(const std::string& included) {
  return included.find('/') == std::string::npos &&
         included.find('.') == std::string::npos;
}

bool AnyMatches(const Patterns& patterns, const std::string& path) {
  return std::any_of(
      patterns.begin(), patterns.end(),
      [&](const std::string& pattern) { return Matches(pattern, path); });
}

// What `line` includes, or "" if it is not an #include.
std::string IncludedBy(const std::string& line) {
  std::istringstream words(line);
  std::string word, rest;
  words >> word;
  if (word == "#") words >> rest, word += rest;
  if (!StartsWith(word, "#include")) return "";
  const std::size_t begin = line.find_first_of("<\"");
  if (begin == std::string::npos) return "";
  const std::size_t end = line.find_first_of(">\"", begin + 1);
  return line.substr(begin + 1, end - begin - 1);
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in),
                     std::istreambuf_iterator<char>());
}

std::vector<std::filesystem::path> SourcesBelow(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> sources;
  if (!std::filesystem::exists(folder)) return sources;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".h" || extension == ".cc")) {
      sources.push_back(entry.path());
    }
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

}  // namespace

const std::vector<std::string>& SourceFolders() {
  static const std::vector<std::string>* const folders =
      new std::vector<std::string>{"interceptors", "cli", "examples", "proto",
                                   "tests"};
  return *folders;
}

bool MayInclude(const std::string& path, const std::string& included) {
  const Patterns* const allowed = RuleFor(path);
  if (allowed == nullptr) return false;
  if (IsStandardHeader(included)) return true;
  if (EndsWith(included, ".grpc.pb.h") &&
      !AnyMatches(*allowed, "grpcpp/grpcpp.h"))
    return false;
  return AnyMatches(*allowed, included);
}

std::vector<std::string> BrokenIncludes(const std::string& path,
                                        const std::string& text) {
  if (RuleFor(path) == nullptr) return {path + ": is in no room"};
  std::vector<std::string> broken;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string included = IncludedBy(line);
    if (included.empty() || MayInclude(path, included)) continue;
    broken.push_back(path + ":" + std::to_string(number) +
                     ": may not include " + included);
  }
  return broken;
}

std::vector<std::string> BrokenIncludesOfTree(const std::string& root,
                                              int& files) {
  files = 0;
  std::vector<std::string> broken;
  for (const std::string& folder : SourceFolders()) {
    for (const auto& source :
         SourcesBelow(std::filesystem::path(root) / folder)) {
      ++files;
      const std::string path = source.lexically_relative(root).generic_string();
      Append(BrokenIncludes(path, ReadFile(source)), broken);
    }
  }
  return broken;
}

}  // namespace architecture
}  // namespace retrykit
