#include "tests/support/metrics_page.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace retrykit {
namespace {

// What the server sends until it closes the connection; "" without one.
std::string Exchange(int port, const std::string& request) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  std::string answer;
  const bool sent = connect(socket, reinterpret_cast<const sockaddr*>(&address),
                            sizeof(address)) == 0 &&
                    send(socket, request.data(), request.size(),
                         MSG_NOSIGNAL) == static_cast<ssize_t>(request.size());
  char part[4096];
  ssize_t size = 0;
  while (sent && (size = recv(socket, part, sizeof(part), 0)) > 0) {
    answer.append(part, static_cast<size_t>(size));
  }
  close(socket);
  return answer;
}

}  // namespace

absl::optional<std::string> HttpGet(int port, absl::string_view path) {
  // HTTP/1.0: the body comes whole, and the connection is closed.
  std::string answer = Exchange(
      port, absl::StrCat("GET ", path, " HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"));
  const size_t body = answer.find("\r\n\r\n");
  const std::string status = answer.substr(0, answer.find("\r\n"));
  if (body == std::string::npos || !absl::StrContains(status, " 200"))
    return absl::nullopt;
  return answer.substr(body + 4);
}

MetricsPage::MetricsPage(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (absl::StartsWith(line, "# TYPE ") && words.size() == 4) {
      types_[words[2]] = words[3];
    } else if (!line.empty() && line[0] != '#') {
      const size_t blank = line.rfind(' ');
      double value = 0;
      EXPECT_TRUE(absl::SimpleAtod(line.substr(blank + 1), &value)) << line;
      samples_[std::string(line.substr(0, blank))] = value;
    }
  }
}

MetricsPage MetricsPage::Get(int port) {
  const absl::optional<std::string> text = HttpGet(port, "/metrics");
  EXPECT_TRUE(text.has_value()) << "no metrics on port " << port;
  return MetricsPage(text.value_or(""));
}

double MetricsPage::Value(const std::string& sample) const {
  const auto found = samples_.find(sample);
  return found == samples_.end() ? -1 : found->second;
}

}  // namespace retrykit
