// Blocking stubs called inside callback-server handlers: bad manners, common,
// and fine on a plain channel, because a blocking call needs no thread but its
// own. gRPC has few callback threads; the handlers fill them all.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/handler_server.h"

namespace retrykit {
namespace {

using grpc::StatusCode;

class BlockingInCallbackTest : public EndToEndTest {
 protected:
  static int Calls() {
    return 4 *
           static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }

  // Calls a server in the middle, many times at once; its handlers call the
  // scripted server through `onward`, each as the call that it was called as.
  std::vector<EchoResult> CallThroughMiddle(
      const std::shared_ptr<grpc::Channel>& onward, const std::string& id) {
    CallbackHandlerServer middle([&onward](grpc::CallbackServerContext&,
                                           const testing::EchoRequest& request,
                                           testing::EchoResponse& response) {
      grpc::ClientContext context;
      context.set_deadline(DeadlineIn(absl::Seconds(20)));
      return testing::Echo::NewStub(onward)->Unary(&context, request,
                                                   &response);
    });
    const auto channel = grpc::CreateChannel(
        middle.address(), grpc::InsecureChannelCredentials());
    std::vector<std::unique_ptr<EchoCall>> calls;
    for (int i = 0; i < Calls(); ++i) {
      calls.push_back(std::make_unique<EchoCall>(
          CallStyle::kSync, channel, RequestFor(absl::StrCat(id, i))));
      calls.back()->Start();
    }
    std::vector<EchoResult> results;
    for (const auto& call : calls) results.push_back(call->Wait());
    return results;
  }

  void ScriptAll(const std::string& id,
                 const std::vector<AttemptScript>& attempts) {
    for (int i = 0; i < Calls(); ++i) {
      server().Script(absl::StrCat(id, i), attempts);
    }
  }
};

TEST_F(BlockingInCallbackTest, A41_AllEndAsOnAPlainChannel) {
  Use(TestPolicy());
  const auto slow =
      AttemptScript::Ok("done").AfterDelay(absl::Milliseconds(50));
  ScriptAll("plain", {slow});
  ScriptAll("ours", {slow});
  for (const auto& onward : {plain_channel(), channel()}) {
    const bool plain = onward == plain_channel();
    SCOPED_TRACE(plain ? "plain" : "ours");
    for (const EchoResult& result :
         CallThroughMiddle(onward, plain ? "plain" : "ours")) {
      EXPECT_TRUE(result.status.ok()) << result.status.error_message();
      EXPECT_EQ(result.response.message(), "done");
    }
  }
}

TEST_F(BlockingInCallbackTest, A41_RetriesNeedNoOtherThreadEither) {
  Use(TestPolicy());
  ScriptAll("ours", {AttemptScript::Fail(StatusCode::ABORTED),
                     AttemptScript::Ok("done")});
  for (const EchoResult& result : CallThroughMiddle(channel(), "ours")) {
    EXPECT_TRUE(result.status.ok()) << result.status.error_message();
    EXPECT_EQ(result.response.attempt(), 2);
  }
  EXPECT_EQ(server().log().total(), 2 * Calls());
}

}  // namespace
}  // namespace retrykit
