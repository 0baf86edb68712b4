// Pages that show commands and what they print: both are compared.
//
//   ```
//   $ retrykit check a.json
//   a.json: OK
//   ```
//
// Lines that begin with "$ retrykit" are run; what follows must be printed, up
// to the next "$" or the end of the block. A line "..." stands for any lines.
//
// Thread-safety: none.
#ifndef RETRYKIT_TESTS_CLI_DOCUMENTED_COMMANDS_H_
#define RETRYKIT_TESTS_CLI_DOCUMENTED_COMMANDS_H_

#include <map>
#include <string>
#include <vector>

namespace retrykit {
namespace cli {

struct DocumentedCommand {
  std::string command;  // Behind "$ retrykit ".
  std::string shown;    // With a newline behind each line.
};

std::vector<DocumentedCommand> CommandsOf(const std::string& page);

// What it prints on both streams. A word that names a file (or a flag's value
// that does) is read from the disk, from `elsewhere` if that has the name.
std::string OutputOf(const std::string& command,
                     const std::map<std::string, std::string>& elsewhere);

bool Shows(const std::string& shown, const std::string& output);

// The file's bytes; "" where there is none.
std::string ReadDisk(const std::string& path);

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_TESTS_CLI_DOCUMENTED_COMMANDS_H_
