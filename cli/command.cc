#include "cli/command.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/check.h"
#include "cli/explain.h"
#include "cli/simulate.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kHelp[] =
    R"(usage: retrykit COMMAND ...

  check     what is wrong with a service config, and what is probably not meant
  explain   what a policy amounts to: waits, times, attempts, budget, breaker
  simulate  calls through it in virtual time: load, success, recovery, a picture
  help      "retrykit help COMMAND": flags and examples

Exit code: 0 good, 1 a config is invalid, 2 wrong usage or an unreadable file.
)";

struct Command {
  absl::string_view name;
  absl::string_view (*help)();
  int (*run)(const std::vector<std::string>& words, World& world);
};

const std::vector<Command>& Commands() {
  static const auto& commands =
      *new std::vector<Command>{{"check", CheckHelp, RunCheck},
                                {"explain", ExplainHelp, RunExplain},
                                {"simulate", SimulateHelp, RunSimulate}};
  return commands;
}

const Command* FindCommand(absl::string_view name) {
  for (const Command& command : Commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

bool IsHelp(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

int Help(const Command* command, World& world) {
  world.Out(command == nullptr ? kHelp : command->help());
  return kGood;
}

int Unknown(const std::string& word, World& world) {
  world.Err(absl::StrCat("retrykit: unknown command ", word, "\n", kHelp));
  return kUnusable;
}

}  // namespace

int RunCommand(const std::vector<std::string>& words, World& world) {
  if (words.empty()) {
    world.Err(kHelp);
    return kUnusable;
  }
  const bool help = IsHelp(words[0]);
  if (help && words.size() == 1) return Help(nullptr, world);
  const std::string& name = help ? words[1] : words[0];
  const Command* const command = FindCommand(name);
  if (command == nullptr) return Unknown(name, world);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  const bool asks =
      std::any_of(rest.begin(), rest.end(),
                  [](const std::string& word) { return word == "--help"; });
  return help || asks ? Help(command, world) : command->run(rest, world);
}

}  // namespace cli
}  // namespace retrykit
