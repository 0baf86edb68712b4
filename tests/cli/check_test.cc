#include "cli/check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.h"
#include "tests/cli/cart_descriptors.h"
#include "tests/cli/fake_world.h"

namespace retrykit {
namespace cli {
namespace {

constexpr char kRetryPolicy[] =
    R"("retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s",
      "maxBackoff": "1s", "backoffMultiplier": 1.5,
      "retryableStatusCodes": ["UNAVAILABLE"]})";

std::string Config(const std::string& names, const std::string& more = "") {
  return absl::StrCat(R"({
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
  "methodConfig": [{
    "name": )",
                      names, ",\n    ", kRetryPolicy, more, "}]\n}\n");
}

class CheckTest : public ::testing::Test {
 protected:
  int Run(std::vector<std::string> words) {
    world_.out.clear();
    world_.err.clear();
    words.insert(words.begin(), "check");
    return RunCommand(words, world_);
  }

  FakeWorld world_;
};

TEST_F(CheckTest, AGoodConfigIsOk) {
  world_.files["a.json"] = Config("[{}]");
  EXPECT_EQ(Run({"a.json"}), 0);
  EXPECT_EQ(world_.out, "a.json: OK\n");
}

TEST_F(CheckTest, AllMistakesHaveTheirPlaces) {
  world_.files["bad.json"] = R"({
  "methodConfig": [{
    "name": [{"service": "a.B"}],
    "timeout": "100ms",
    "retryPolicy": {"MaxAttempts": 3, "initialBackoff": "0.1s",
      "maxBackoff": "1s", "backoffMultiplier": 1.5,
      "retryableStatusCodes": ["UNAVAILABLE", "CANCELED"]}
  }]
})";
  EXPECT_EQ(Run({"bad.json"}), 1);
  EXPECT_EQ(
      world_.out,
      "bad.json:4:5: error: methodConfig[0].timeout: Not a duration (not a "
      "number of seconds), did you mean \"0.1s\"?\n"
      "bad.json:5:21: error: methodConfig[0].retryPolicy.MaxAttempts: unknown "
      "field, did you mean maxAttempts?\n"
      "bad.json:7:47: error: "
      "methodConfig[0].retryPolicy.retryableStatusCodes[1]: failed to parse "
      "status code, did you mean \"CANCELLED\"?\n"
      "bad.json: 3 errors\n");
}

TEST_F(CheckTest, WarningsAreNoErrorsUnlessStrict) {
  world_.files["a.json"] = Config("[{}]", ",\n    \"timeout\": \"0s\"");
  EXPECT_EQ(Run({"a.json"}), 0);
  EXPECT_EQ(
      world_.out,
      "a.json:8:5: warning: methodConfig[0].timeout: zero means unset, no "
      "limit\n"
      "a.json: OK, 1 warning\n");
  EXPECT_EQ(Run({"--strict", "a.json"}), 1);
}

TEST_F(CheckTest, ASyntaxErrorHasLineAndColumn) {
  world_.files["a.json"] = "{\n  \"a\": 1,\n}";
  EXPECT_EQ(Run({"a.json"}), 1);
  EXPECT_EQ(world_.out, "a.json:3:1: error: trailing comma\na.json: 1 error\n");
}

TEST_F(CheckTest, CoreIsAskedAboutItsPart) {
  world_.files["a.json"] = "{\"loadBalancingConfig\": [{\"nope\": {}}]}";
  EXPECT_EQ(Run({"a.json"}), 1);
  EXPECT_EQ(world_.out.find("a.json:1:2: error: loadBalancingConfig: gRPC core "
                            "refuses its part: "),
            0u)
      << world_.out;
}

TEST_F(CheckTest, SeveralFilesAndTheWorstExitCode) {
  world_.files["a.json"] = Config("[{}]");
  world_.files["-"] = "{]";
  EXPECT_EQ(Run({"a.json", "none.json", "-"}), 2);
  EXPECT_EQ(world_.err, "retrykit: cannot read none.json\n");
  EXPECT_EQ(world_.out.find("a.json: OK\n<stdin>:1:2: error: "), 0u)
      << world_.out;
  EXPECT_EQ(Run({"a.json", "-"}), 1);
}

TEST_F(CheckTest, ColoursOnATerminalOnly) {
  world_.files["a.json"] = "{\"a\": 1,}";
  world_.terminal = true;
  Run({"a.json"});
  EXPECT_EQ(world_.out,
            "a.json:1:9: \033[1;31merror:\033[0m trailing comma\n"
            "a.json: \033[1;31m1 error\033[0m\n");
}

TEST_F(CheckTest, Json) {
  world_.files["a\xff.json"] = "{\"a\": 1,}";
  EXPECT_EQ(Run({"--json", "a\xff.json"}), 1);
  EXPECT_EQ(world_.out, R"({
  "valid": false,
  "files": [
    {
      "file": "a)"
                        "\xEF\xBF\xBD"
                        R"(.json",
      "valid": false,
      "errors": [
        {
          "path": "",
          "line": 1,
          "column": 9,
          "message": "trailing comma"
        }
      ],
      "warnings": []
    }
  ]
}
)");
}

TEST_F(CheckTest, NamesThatTheDescriptorSetDoesNotHave) {
  world_.files["shop.pb"] = CartDescriptors();
  world_.files["a.json"] = Config(
      R"([{"service": "shop.Cart", "method": "Lits"}, {"service": "shop.Crat"}])");
  EXPECT_EQ(Run({"--descriptor-set=shop.pb", "a.json"}), 1);
  EXPECT_EQ(
      world_.out,
      "a.json:4:39: error: methodConfig[0].name[0].method: no method Lits "
      "in shop.Cart, did you mean List?\n"
      "a.json:4:59: error: methodConfig[0].name[1].service: no service "
      "shop.Crat in the descriptor set, did you mean shop.Cart?\n"
      "a.json: 2 errors\n");
}

TEST_F(CheckTest, RetriesOfMethodsThatDeclareNoIdempotency) {
  world_.files["shop.pb"] = CartDescriptors();
  world_.files["a.json"] = Config(R"([{"service": "shop.Cart"}])");
  EXPECT_EQ(Run({"--descriptor-set=shop.pb", "a.json"}), 0);
  const std::string start =
      "a.json:5:5: warning: methodConfig[0].retryPolicy: /shop.Cart/";
  const std::string end =
      " is retried and declares no idempotency_level: the server may carry out "
      "a call twice\n";
  EXPECT_EQ(world_.out, start + "Pay" + end + start + "Watch" + end +
                            "a.json: OK, 2 warnings\n");
}

TEST_F(CheckTest, DeclaredIdempotencyMakesAWarningVoid) {
  world_.files["shop.pb"] = CartDescriptors();
  world_.files["a.json"] =
      Config(R"([{"service": "shop.Cart", "method": "List"}])",
             R"(, "retrykit": {"perAttemptTimeout": "0.5s"})");
  EXPECT_EQ(Run({"a.json"}), 0);
  EXPECT_EQ(world_.out,
            "a.json:3:20: warning: methodConfig[0]: perAttemptTimeout without "
            "idempotencyKey: the server may carry out a call twice\n"
            "a.json: OK, 1 warning\n");
  EXPECT_EQ(Run({"--descriptor-set=shop.pb", "a.json"}), 0);
  EXPECT_EQ(world_.out, "a.json: OK\n");
}

TEST_F(CheckTest, AnIdempotencyKeyMakesRetriesSafe) {
  world_.files["shop.pb"] = CartDescriptors();
  world_.files["a.json"] =
      Config(R"([{"service": "shop.Cart"}])",
             R"(, "retrykit": {"idempotencyKey": {"header": "key"}})");
  EXPECT_EQ(Run({"--descriptor-set=shop.pb", "a.json"}), 0);
  EXPECT_EQ(world_.out, "a.json: OK\n");
}

TEST_F(CheckTest, ADescriptorSetThatIsNone) {
  world_.files["a.json"] = Config("[{}]");
  world_.files["empty.pb"] = "";
  world_.files["text.pb"] = "syntax = \"proto3\";";
  EXPECT_EQ(Run({"--descriptor-set=none.pb", "a.json"}), 2);
  EXPECT_EQ(world_.err, "retrykit: cannot read none.pb\n");
  EXPECT_EQ(Run({"--descriptor-set=empty.pb", "a.json"}), 2);
  EXPECT_EQ(world_.err,
            "retrykit: empty.pb: the descriptor set has no service\n");
  EXPECT_EQ(Run({"--descriptor-set=text.pb", "a.json"}), 2);
  EXPECT_EQ(world_.err,
            "retrykit: text.pb: not a protobuf FileDescriptorSet\n");
}

TEST_F(CheckTest, WrongUsage) {
  EXPECT_EQ(Run({}), 2);
  EXPECT_EQ(world_.err,
            "retrykit check: no file is named\nTry \"retrykit help check\".\n");
  EXPECT_EQ(Run({"--colour", "a"}), 2);
  EXPECT_EQ(world_.err,
            "retrykit check: unknown flag --colour\nTry \"retrykit help "
            "check\".\n");
  EXPECT_EQ(RunCommand({"chekc"}, world_), 2);
  EXPECT_EQ(RunCommand({}, world_), 2);
  EXPECT_EQ(world_.out, "");
}

TEST_F(CheckTest, HelpIsNoError) {
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_EQ(world_.out, CheckHelp());
  world_.out.clear();
  EXPECT_EQ(RunCommand({"help", "check"}, world_), 0);
  EXPECT_EQ(world_.out, CheckHelp());
  EXPECT_EQ(RunCommand({"--help"}, world_), 0);
  EXPECT_EQ(world_.err, "");
}

}  // namespace
}  // namespace cli
}  // namespace retrykit
