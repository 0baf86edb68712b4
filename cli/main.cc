#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/system_world.h"

int main(int argc, char** argv) {
  retrykit::cli::SystemWorld world;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int code = retrykit::cli::RunCommand(words, world);
  if (world.FlushOut()) return code;
  world.Err("retrykit: cannot write to standard output\n");
  return retrykit::cli::kUnusable;
}
