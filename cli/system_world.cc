#include "cli/system_world.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"

namespace retrykit {
namespace cli {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

absl::Status Failure(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno != 0 ? errno : EIO,
                             absl::StrCat(what, " ", path));
}

absl::StatusOr<std::string> ReadAll(std::FILE* file, const std::string& path) {
  std::string text;
  char buffer[1 << 16];
  std::size_t got = 0;
  while ((got = std::fread(buffer, 1, sizeof buffer, file)) > 0)
    text.append(buffer, got);
  if (std::ferror(file) != 0) return Failure("cannot read", path);
  return text;
}

void Put(absl::string_view text, std::FILE* file) {
  std::fwrite(text.data(), 1, text.size(), file);
}

}  // namespace

absl::StatusOr<std::string> SystemWorld::Read(const std::string& path) {
  errno = 0;
  if (path == "-") return ReadAll(stdin, "standard input");
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return Failure("cannot read", path);
  return ReadAll(file.get(), path);
}

absl::Status SystemWorld::Write(const std::string& path,
                                absl::string_view text) {
  errno = 0;
  std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return Failure("cannot write", path);
  Put(text, file.get());
  const bool written = std::ferror(file.get()) == 0;
  const bool closed = std::fclose(file.release()) == 0;
  return written && closed ? absl::OkStatus() : Failure("cannot write", path);
}

void SystemWorld::Out(absl::string_view text) { Put(text, stdout); }

void SystemWorld::Err(absl::string_view text) {
  std::fflush(stdout);
  Put(text, stderr);
}

bool SystemWorld::colours() const {
  const char* const refused = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 &&
         (refused == nullptr || *refused == '\0');
}

bool SystemWorld::shows_progress() const {
  return ::isatty(STDERR_FILENO) == 1;
}

bool SystemWorld::FlushOut() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace cli
}  // namespace retrykit
