// Which room may include what: the one-way rooms of the house, as a table.
//
//   std::vector<std::string> broken =
//   BrokenIncludes("interceptors/core/clock.h", text);
//
// A room is a folder. What it may include is a list of patterns:
//   "absl/"                        everything below that folder
//   "interceptors/*"               files of that folder itself (the facade),
//   not below it "interceptors/engine/events*"  files of the folder whose names
//   start so "pthread.h"                    this header
// Standard C++ headers (<vector>, <cstdint>) are allowed everywhere. Whatever a
// room's list does not name is broken, headers of unknown libraries and
// includes that are not written from the repository's root among them. A header
// of generated stubs (*.grpc.pb.h) includes gRPC itself, so it is allowed only
// where gRPC is.
//
// Thread-safety: free functions on immutable tables; any thread.

#ifndef RETRYKIT_TESTS_ARCHITECTURE_INCLUDE_RULES_H_
#define RETRYKIT_TESTS_ARCHITECTURE_INCLUDE_RULES_H_

#include <string>
#include <vector>

namespace retrykit {
namespace architecture {

// The folders that hold sources, as paths from the repository's root.
const std::vector<std::string>& SourceFolders();

// Whether a file at `path` (from the repository's root) may include `included`.
bool MayInclude(const std::string& path, const std::string& included);

// One line per forbidden include in `text`, the content of the file at `path`:
// "interceptors/core/clock.h:12: may not include grpcpp/grpcpp.h". A file
// outside every room gives one line as well, with includes or without.
std::vector<std::string> BrokenIncludes(const std::string& path,
                                        const std::string& text);

// BrokenIncludes of every .h and .cc file below the source folders of the tree
// at `root`, and the number of files read in `files`.
std::vector<std::string> BrokenIncludesOfTree(const std::string& root,
                                              int& files);

}  // namespace architecture
}  // namespace retrykit

#endif  // RETRYKIT_TESTS_ARCHITECTURE_INCLUDE_RULES_H_
