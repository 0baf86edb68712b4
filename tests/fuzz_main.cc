// The main of a fuzz target in a build without libFuzzer: runs every file of
// the folders and files given, then a number of random inputs.
//
//   NAME [--runs=N] [--seed=N] [--max-size=BYTES] [FILE-OR-FOLDER ...]
//
// The same arguments give the same inputs on every machine. Half of the random
// inputs are a mutated corpus file where there is one, the rest bytes of a
// random length, since most parsers refuse the latter at the first byte.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

namespace {

struct Settings {
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;
  std::uint64_t max_size = 512;
  std::vector<std::string> paths;
};

// Reads `--name=<number>` into `value`; false where `argument` is another one.
bool ReadNumber(const std::string& argument, const std::string& name,
                std::uint64_t& value) {
  const std::string prefix = "--" + name + "=";
  if (argument.compare(0, prefix.size(), prefix) != 0) return false;
  value = std::strtoull(argument.c_str() + prefix.size(), nullptr, 10);
  return true;
}

Settings ReadArguments(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (ReadNumber(argument, "runs", settings.runs)) continue;
    if (ReadNumber(argument, "seed", settings.seed)) continue;
    if (ReadNumber(argument, "max-size", settings.max_size)) continue;
    settings.paths.push_back(argument);
  }
  return settings;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in),
                     std::istreambuf_iterator<char>());
}

// The inputs below `paths`, in the order of their names.
std::vector<std::string> ReadCorpus(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const auto& file : files) corpus.push_back(ReadFile(file));
  return corpus;
}

// std::mt19937_64 gives the same numbers everywhere, std's distributions do
// not: hence plain remainders.
class Inputs {
 public:
  Inputs(std::uint64_t seed, std::uint64_t max_size,
         const std::vector<std::string>& corpus)
      : bits_(seed), max_size_(max_size), corpus_(corpus) {}

  std::string Next() {
    if (corpus_.empty() || Below(2) == 0) return RandomBytes();
    return Mutated(corpus_[Below(corpus_.size())]);
  }

 private:
  std::size_t Below(std::size_t end) {
    return static_cast<std::size_t>(bits_() % end);
  }
  char Byte() { return static_cast<char>(Below(256)); }

  std::string RandomBytes() {
    std::string bytes(Below(max_size_ + 1), '\0');
    for (char& byte : bytes) byte = Byte();
    return bytes;
  }

  std::string Mutated(std::string bytes) {
    for (std::size_t left = 1 + Below(4); left > 0; --left) MutateOnce(bytes);
    return bytes;
  }

  void MutateOnce(std::string& bytes) {
    const std::size_t at = Below(bytes.size() + 1);
    const std::size_t count = 1 + Below(8);
    switch (Below(4)) {
      case 0:
        bytes.erase(at, count);
        break;
      case 1:
        bytes.insert(at, count, Byte());
        break;
      case 2:
        bytes.insert(at, bytes.substr(Below(bytes.size() + 1), count));
        break;
      default:
        if (at < bytes.size()) bytes[at] = Byte();
    }
  }

  std::mt19937_64 bits_;
  std::uint64_t max_size_;
  const std::vector<std::string>& corpus_;
};

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()),
                         input.size());
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = ReadArguments(argc, argv);
  const std::vector<std::string> corpus = ReadCorpus(settings.paths);
  for (const std::string& input : corpus) Run(input);
  Inputs inputs(settings.seed, settings.max_size, corpus);
  for (std::uint64_t i = 0; i < settings.runs; ++i) Run(inputs.Next());
  std::printf("%zu inputs of the corpus and %llu random ones: no failure\n",
              corpus.size(), static_cast<unsigned long long>(settings.runs));
  return 0;
}
