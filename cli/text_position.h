// Where in a JSON text the field of a path stands.
//
//   const TextPositions positions(text);
//   positions.Of("methodConfig[0].timeout");  // line 4, column 5
//
// Thread-safety: immutable after construction. Lifetime: the text must outlive
// it. Takes time linear in the text's length.
#ifndef RETRYKIT_CLI_TEXT_POSITION_H_
#define RETRYKIT_CLI_TEXT_POSITION_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"

namespace retrykit {
namespace cli {

// From 1; the column counts characters. 0: not known.
struct TextPosition {
  int line = 0;
  int column = 0;
};

class TextPositions {
 public:
  // `text` must be well-formed JSON; of any other the positions are arbitrary.
  explicit TextPositions(absl::string_view text);

  // Of the field's key, or the list's element. Where the path leads to nothing
  // (a field that is missing), of the last part of it that is there.
  TextPosition Of(absl::string_view path) const;

 private:
  struct Node {
    absl::string_view key;  // As written, without quotes; "" in a list.
    std::size_t offset = 0;
    std::vector<Node> children;
    bool is_list = false;
  };

  void SkipBlanks();
  absl::string_view ReadString();
  void ReadValue(Node& node, int depth);
  void ReadChildren(Node& node, char end, int depth);
  static const Node* Step(const Node& node, absl::string_view& path);

  const absl::string_view text_;
  std::size_t at_ = 0;
  Node root_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace cli
}  // namespace retrykit

#endif  // RETRYKIT_CLI_TEXT_POSITION_H_
