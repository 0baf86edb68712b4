// The fixture of tests that make calls through a toolkit to a real server.
//
//   TEST_P(UnaryRetryTest, A02_AbortedAlways) {
//     Use(TestPolicy());
//     server().Script(kCall, {AttemptScript::Fail(StatusCode::ABORTED, "no")});
//     Expect(Call(), {StatusCode::ABORTED,
//                     "no [retrykit: max_attempts after 3 attempts]",
//                     {"-", "1", "2"}, Reason::kMaxAttempts, -3});
//   }
//
// At the end of each test: no timer of the toolkit is live, and the server has
// seen as many attempts of each call as the test has said, not one more.
#ifndef TESTS_SUPPORT_END_TO_END_TEST_H_
#define TESTS_SUPPORT_END_TO_END_TEST_H_

#include <gmock/gmock.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interceptors/retrykit.h"
#include "tests/support/attempt_script.h"
#include "tests/support/echo_call.h"
#include "tests/support/recording_observer.h"
#include "tests/support/scripted_server.h"
#include "tests/support/test_policy.h"

namespace retrykit {

// The id of the call, where a test makes only one.
inline constexpr char kCall[] = "call";

// How a call must end.
struct Outcome {
  grpc::StatusCode code = grpc::StatusCode::OK;
  ::testing::Matcher<std::string> text = "";  // Of the status.
  std::vector<std::string> headers;  // x-retrykit-previous-attempts ("-" where
                                     // absent) of every attempt seen.
  Reason reason = Reason::kNone;
  double tokens = 0;  // Change of the retry budget since the last check.
};

// How the channels are made.
struct ChannelSetup {
  std::shared_ptr<grpc::ChannelCredentials> credentials;  // Null: insecure.
  Toolkit::FactoryList interceptors;  // Of the toolkit's channel: per attempt.
};

class EndToEndTest : public ::testing::Test {
 protected:
  // Makes toolkit and channel, and a plain channel beside it. Once per test,
  // before calls.
  void Use(const TestPolicy& policy, Options options = Options(),
           ChannelSetup setup = ChannelSetup());
  void TearDown() override;

  ScriptedServer& server() { return *server_; }
  // Instead of the default server, before Use.
  void UseServer(const ScriptedServer::Options& options);
  Toolkit& toolkit() { return *toolkit_; }
  RecordingObserver& observer() { return *observer_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }
  const std::shared_ptr<grpc::Channel>& plain_channel() {
    return plain_channel_;
  }
  // The toolkit's last reference and channel go, before the test's end.
  void DropToolkit();

  // A call of the server, by metadata and request the call `id`.
  std::unique_ptr<EchoCall> NewCall(CallStyle style,
                                    const std::string& id = kCall);
  EchoResult Call(
      CallStyle style, const std::string& id = kCall,
      const std::function<void(grpc::ClientContext&)>& prepare = nullptr);
  // The same on the plain channel.
  EchoResult PlainCall(
      CallStyle style, const std::string& id,
      const std::function<void(grpc::ClientContext&)>& prepare = nullptr);

  // Checks all parts of a call's end. Where a test makes several calls, it
  // checks each, in the order of their ends.
  void Expect(const EchoResult& result, const Outcome& outcome,
              const std::string& id = kCall);
  // Says how many attempts of a call the server must have seen at the end.
  void ExpectAttempts(const std::string& id, int count);
  // `x-retrykit-previous-attempts` of the attempts seen so far.
  std::vector<std::string> Headers(const std::string& id = kCall);
  // What the budget holds.
  double Tokens();

 private:
  std::unique_ptr<ScriptedServer> server_ = std::make_unique<ScriptedServer>();
  const std::shared_ptr<RecordingObserver> observer_ =
      std::make_shared<RecordingObserver>();
  std::shared_ptr<Toolkit> toolkit_;
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<grpc::Channel> plain_channel_;
  double tokens_checked_ = 0;  // When the last end was checked.
  int ends_checked_ = 0;
  std::map<std::string, int> expected_attempts_;
};

// The same through each of the call styles.
class UnaryEndToEndTest : public EndToEndTest,
                          public ::testing::WithParamInterface<CallStyle> {
 protected:
  using Prepare = std::function<void(grpc::ClientContext&)>;

  CallStyle style() const { return GetParam(); }
  std::unique_ptr<EchoCall> NewCall(const std::string& id = kCall) {
    return EndToEndTest::NewCall(style(), id);
  }
  EchoResult Call(const std::string& id = kCall,
                  const Prepare& prepare = nullptr) {
    return EndToEndTest::Call(style(), id, prepare);
  }
  EchoResult PlainCall(const std::string& id = "plain",
                       const Prepare& prepare = nullptr) {
    return EndToEndTest::PlainCall(style(), id, prepare);
  }
};

// What a status text says behind the server's own: " [retrykit: ...]".
std::string Why(Reason reason, int attempts);

// A function that sets the deadline of a context.
std::function<void(grpc::ClientContext&)> WithDeadline(absl::Duration from_now);

// The two calls must have ended in the same way.
void ExpectSame(const EchoResult& ours, const EchoResult& plain);

}  // namespace retrykit

#endif  // TESTS_SUPPORT_END_TO_END_TEST_H_
