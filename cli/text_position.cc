#include "cli/text_position.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace retrykit {
namespace cli {
namespace {

// Deeper than any config that is accepted as JSON.
constexpr int kMostDepth = 300;

bool EndsWord(char c) { return c == ',' || c == ']' || c == '}'; }

}  // namespace

TextPositions::TextPositions(absl::string_view text) : text_(text) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  SkipBlanks();
  root_.offset = at_;
  ReadValue(root_, 0);
}

void TextPositions::SkipBlanks() {
  while (at_ < text_.size() &&
         absl::ascii_isspace(static_cast<unsigned char>(text_[at_])))
    ++at_;
}

// What is between the quotes; `at_` stands behind them afterwards.
absl::string_view TextPositions::ReadString() {
  const std::size_t start = ++at_;
  while (at_ < text_.size() && text_[at_] != '"')
    at_ += text_[at_] == '\\' ? 2 : 1;
  at_ = std::min(at_, text_.size());
  const absl::string_view read = text_.substr(start, at_ - start);
  at_ = std::min(at_ + 1, text_.size());
  return read;
}

void TextPositions::ReadValue(Node& node, int depth) {
  SkipBlanks();
  if (at_ >= text_.size()) return;
  switch (text_[at_]) {
    case '"':
      ReadString();
      break;
    case '[':
      node.is_list = true;
      ReadChildren(node, ']', depth);
      break;
    case '{':
      ReadChildren(node, '}', depth);
      break;
    default:
      while (at_ < text_.size() && !EndsWord(text_[at_])) ++at_;
  }
}

void TextPositions::ReadChildren(Node& node, char end, int depth) {
  ++at_;
  while (depth < kMostDepth) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] == end) break;
    const std::size_t before = at_;
    if (text_[at_] == ',') ++at_;
    SkipBlanks();
    Node child;
    child.offset = at_;
    if (!node.is_list && at_ < text_.size() && text_[at_] == '"') {
      child.key = ReadString();
      SkipBlanks();
      if (at_ < text_.size() && text_[at_] == ':') ++at_;
    }
    ReadValue(child, depth + 1);
    node.children.push_back(std::move(child));
    if (at_ == before) break;  // Not JSON.
  }
  if (at_ < text_.size()) ++at_;
}

// The child that `path` begins with, which is taken off it; null: none.
const TextPositions::Node* TextPositions::Step(const Node& node,
                                               absl::string_view& path) {
  if (node.is_list) {
    absl::string_view rest = path;
    if (!absl::ConsumePrefix(&rest, "[")) return nullptr;
    const std::size_t end = rest.find(']');
    uint64_t index = 0;
    if (end == absl::string_view::npos ||
        !absl::SimpleAtoi(rest.substr(0, end), &index) ||
        index >= node.children.size())
      return nullptr;
    path = rest.substr(end + 1);
    return &node.children[static_cast<std::size_t>(index)];
  }
  const absl::string_view rest = absl::StripPrefix(path, ".");
  for (const Node& child : node.children) {
    const std::size_t size = child.key.size();
    if (!absl::StartsWith(rest, child.key)) continue;
    if (rest.size() > size && rest[size] != '.' && rest[size] != '[') continue;
    path = rest.substr(size);
    return &child;
  }
  return nullptr;
}

TextPosition TextPositions::Of(absl::string_view path) const {
  const Node* node = &root_;
  while (!path.empty()) {
    const Node* const child = Step(*node, path);
    if (child == nullptr) break;
    node = child;
  }
  const auto line = std::prev(
      std::upper_bound(line_starts_.begin(), line_starts_.end(), node->offset));
  int column = 1;
  for (std::size_t i = *line; i < node->offset; ++i) {
    // Bytes that continue a character of UTF-8 do not begin one.
    if ((static_cast<unsigned char>(text_[i]) & 0xC0u) != 0x80u) ++column;
  }
  return {static_cast<int>(line - line_starts_.begin()) + 1, column};
}

}  // namespace cli
}  // namespace retrykit
