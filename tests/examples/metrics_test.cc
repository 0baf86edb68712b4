// The metrics example: a real Prometheus scrapes it, and promtool accepts its
// configuration and its alert rules. Both are Debian's (tools/setup.sh); where
// they are missing the tests fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/metrics_page.h"
#include "tests/support/real_time.h"

namespace retrykit {
namespace {

using ::testing::HasSubstr;

constexpr char kFolder[] = "examples/metrics/";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

// A program whose output, errors too, is read line by line; killed at the end.
class Program {
 public:
  explicit Program(const std::vector<std::string>& command) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      std::vector<char*> words;
      for (const auto& word : command) {
        words.push_back(const_cast<char*>(word.c_str()));
      }
      words.push_back(nullptr);
      execvp(words[0], words.data());
      std::perror(words[0]);
      _exit(127);
    }
    close(ends[1]);
    output_ = fdopen(ends[0], "r");
  }
  ~Program() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    std::fclose(output_);
  }

  // What the first group of `pattern` matches in the first line that has it; ""
  // if the program ends before.
  std::string WaitFor(const std::string& pattern) {
    char line[4096];
    std::smatch match;
    while (std::fgets(line, sizeof(line), output_) != nullptr) {
      seen_ += line;
      const std::string text = line;
      if (std::regex_search(text, match, std::regex(pattern))) return match[1];
    }
    return "";
  }
  const std::string& seen() const { return seen_; }

 private:
  pid_t process_ = -1;
  FILE* output_ = nullptr;
  std::string seen_;
};

int ExitCodeOf(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MetricsExample, PromtoolAcceptsTheConfigAndTheRules) {
  ASSERT_EQ(ExitCodeOf("promtool --version >/dev/null"), 0)
      << "promtool is not installed: run tools/setup.sh";
  const std::string in = std::string("cd ") + kFolder + " && ";
  EXPECT_EQ(ExitCodeOf(in + "promtool check config prometheus.yml"), 0);
  EXPECT_EQ(ExitCodeOf(in + "promtool test rules alerts_test.yml"), 0);
}

TEST(MetricsExample, ARealPrometheusScrapesIt) {
  Program example({std::string(kFolder) + "metrics", "--metrics=127.0.0.1:0",
                   "--seconds=600"});
  const std::string port = example.WaitFor("metrics: .*:([0-9]+)/");
  ASSERT_EQ(example.WaitFor("(calls=40 ok=40)"), "calls=40 ok=40")
      << example.seen();

  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/prometheus.yml")
      << std::regex_replace(ReadFile(std::string(kFolder) + "prometheus.yml"),
                            std::regex("9464"), port);
  std::ofstream(folder + "/alerts.yml")
      << ReadFile(std::string(kFolder) + "alerts.yml");
  Program prometheus({"prometheus",
                      "--config.file=" + folder + "/prometheus.yml",
                      "--storage.tsdb.path=" + folder + "/data",
                      "--web.listen-address=127.0.0.1:0"});
  const std::string web =
      prometheus.WaitFor("Listening on.*address=127.0.0.1:([0-9]+)");
  ASSERT_NE(web, "") << "prometheus does not run; installed by tools/setup.sh: "
                     << prometheus.seen();
  const auto answers = [&web](const std::string& query, const char* value) {
    const auto page = HttpGet(std::stoi(web), "/api/v1/query?query=" + query);
    return page &&
           page->find(std::string(",\"") + value + "\"]") != std::string::npos;
  };
  EXPECT_TRUE(
      Eventually([&] { return answers("sum(retrykit_calls_total)", "40"); }));
  EXPECT_TRUE(answers("sum(retrykit_attempts_total)", "50"));
  EXPECT_TRUE(answers("sum(retrykit_retry_success_total)", "10"));
  EXPECT_TRUE(answers("sum(retrykit_budget_max_tokens)", "10"));
}

TEST(MetricsExample, ItsPageIsThatOfTheReadme) {
  Program example({std::string(kFolder) + "metrics", "--metrics=127.0.0.1:0",
                   "--seconds=600"});
  const std::string port = example.WaitFor("metrics: .*:([0-9]+)/");
  ASSERT_EQ(example.WaitFor("(calls=40 ok=40)"), "calls=40 ok=40")
      << example.seen();
  const std::regex server("127.0.0.1:[0-9]+\"");
  const std::string page = std::regex_replace(
      HttpGet(std::stoi(port), "/metrics").value_or(""), server, "server\"");
  std::ifstream readme(std::string(kFolder) + "README.md");
  int compared = 0;
  for (std::string line; std::getline(readme, line);) {
    if (line.rfind("retrykit_", 0) != 0) continue;
    EXPECT_THAT(page, HasSubstr(std::regex_replace(line, server, "server\"")));
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

TEST(MetricsExample, ABusyMetricsPortIsToldOfAndTheCallsGoOn) {
  Program first({std::string(kFolder) + "metrics", "--metrics=127.0.0.1:0",
                 "--seconds=600"});
  const std::string port = first.WaitFor("metrics: .*:([0-9]+)/");
  ASSERT_NE(port, "") << first.seen();
  Program second(
      {std::string(kFolder) + "metrics", "--metrics=127.0.0.1:" + port});
  EXPECT_EQ(second.WaitFor("(calls=40 ok=40)"), "calls=40 ok=40");
  EXPECT_THAT(second.seen(), HasSubstr("metrics cannot be served on "
                                       "127.0.0.1:" +
                                       port));
}

}  // namespace
}  // namespace retrykit
