#include "tests/cli/documented_commands.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/command.h"
#include "tests/cli/fake_world.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kPrompt[] = "$ retrykit ";

// A flag's value, or the word itself.
std::string FileNamedBy(const std::string& word) {
  const size_t equals = word.find('=');
  return absl::StartsWith(word, "--") && equals != std::string::npos
             ? word.substr(equals + 1)
             : word;
}

}  // namespace

std::vector<DocumentedCommand> CommandsOf(const std::string& page) {
  std::vector<DocumentedCommand> commands;
  bool in_output = false;
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, "```") || absl::StartsWith(line, "$"))
      in_output = false;
    if (absl::ConsumePrefix(&line, kPrompt)) {
      commands.push_back({std::string(line), ""});
      in_output = true;
    } else if (in_output) {
      absl::StrAppend(&commands.back().shown, line, "\n");
    }
  }
  return commands;
}

std::string OutputOf(const std::string& command,
                     const std::map<std::string, std::string>& elsewhere) {
  FakeWorld world;
  const std::vector<std::string> words =
      absl::StrSplit(command, ' ', absl::SkipEmpty());
  for (const std::string& word : words) {
    const std::string file = FileNamedBy(word);
    const auto found = elsewhere.find(file);
    std::string text =
        found != elsewhere.end() ? found->second : ReadDisk(file);
    if (!text.empty()) world.files[file] = std::move(text);
  }
  RunCommand(words, world);
  return world.out + world.err;
}

bool Shows(const std::string& shown, const std::string& output) {
  const std::vector<std::string> parts = absl::StrSplit(shown, "...\n");
  if (!absl::StartsWith(output, parts.front())) return false;
  if (!absl::EndsWith(output, parts.back())) return false;
  if (parts.size() == 1) return shown == output;
  size_t at = 0;
  for (const std::string& part : parts) {
    at = output.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
  }
  return true;
}

std::string ReadDisk(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace cli
}  // namespace retrykit
