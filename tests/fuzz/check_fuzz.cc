// Any bytes on standard input of `retrykit check`: exit code 0 or 1, with a
// word on each error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/command.h"
#include "tests/cli/cart_descriptors.h"
#include "tests/cli/fake_world.h"

namespace {

// Stops the fuzzer with the input that broke it.
void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  namespace cli = retrykit::cli;
  cli::FakeWorld world;
  world.files["-"] = std::string(reinterpret_cast<const char*>(data), size);
  world.files["shop.pb"] = cli::CartDescriptors();
  for (const char* const flag : {"--descriptor-set=shop.pb", "--json"}) {
    world.out.clear();
    const int code = cli::RunCommand({"check", flag, "-"}, world);
    Require(code == cli::kGood || code == cli::kInvalid);
    Require(!world.out.empty() && world.err.empty());
    const bool says_error =
        world.out.find("error: ") != std::string::npos ||
        world.out.find("\"valid\": false") != std::string::npos;
    Require(says_error || code == cli::kGood);
  }
  return 0;
}
