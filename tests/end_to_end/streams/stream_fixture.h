// The fixture of tests that make streams through a toolkit to a real server.
//
//   TEST_P(ServerStreamTest, B01_...) {
//     Use(TestPolicy());
//     server().Script(kCall, {Script({ReadOne(), End(StatusCode::ABORTED)}),
//                             Script({ReadOne(), Send("a"), End()})});
//     auto stream = NewStream();
//     stream->Start();
//     EXPECT_THAT(stream->ReadAll(), ElementsAre("a"));
//     Expect(stream->Finish(), {StatusCode::OK, "", {"-", "1"}, ...});
//   }
#ifndef TESTS_END_TO_END_STREAMS_STREAM_FIXTURE_H_
#define TESTS_END_TO_END_STREAMS_STREAM_FIXTURE_H_

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/attempt_script.h"
#include "tests/support/echo_stream.h"
#include "tests/support/end_to_end_test.h"

namespace retrykit {

// What the server does, in short words. The text of a status is "no".
inline ServerAction ReadOne() {
  return ServerAction::Of(ServerAction::Type::kReadMessage);
}
inline ServerAction ReadToEnd() {
  return ServerAction::Of(ServerAction::Type::kReadToHalfClose);
}
inline ServerAction Send(std::string text) {
  return ServerAction::Of(ServerAction::Type::kSendEcho, std::move(text));
}
inline ServerAction SendHeaders() {
  return ServerAction::Of(ServerAction::Type::kSendInitialMetadata);
}
inline ServerAction Gate(std::string gate) {
  return ServerAction::Of(ServerAction::Type::kWaitForGate, std::move(gate));
}
inline ServerAction End(grpc::StatusCode code = grpc::StatusCode::OK) {
  return ServerAction::Finish(
      code == grpc::StatusCode::OK ? grpc::Status() : grpc::Status(code, "no"));
}
inline AttemptScript Script(std::vector<ServerAction> actions) {
  return AttemptScript::Of(std::move(actions));
}

class StreamEndToEndTest : public EndToEndTest,
                           public ::testing::WithParamInterface<StreamStyle> {
 protected:
  StreamKind kind() const { return GetParam().kind; }
  StreamApi api() const { return GetParam().api; }

  std::unique_ptr<EchoStream> NewStream(const std::string& id = kCall) {
    return EchoStream::New(GetParam(), channel(), id);
  }
  std::unique_ptr<EchoStream> NewPlainStream(const std::string& id) {
    return EchoStream::New(GetParam(), plain_channel(), id);
  }

  // One request, the half-close, all responses: a whole call of any kind. A
  // response's text and attempt end up in the result's `response`.
  EchoResult Run(EchoStream& stream) {
    stream.Start();
    stream.WriteLast("hello");
    testing::EchoResponse response;
    testing::EchoResponse last;
    while (stream.Read(&response)) last = response;
    EchoResult result = stream.Finish();
    if (kind() != StreamKind::kClient) result.response = last;
    return result;
  }
  using Prepare = std::function<void(grpc::ClientContext&)>;
  EchoResult Run(const std::string& id = kCall,
                 const Prepare& prepare = nullptr) {
    const std::unique_ptr<EchoStream> stream = NewStream(id);
    if (prepare) prepare(stream->context());
    return Run(*stream);
  }

  // The texts of the messages that the server read in attempt `number`.
  std::vector<std::string> Requests(int number, const std::string& id = kCall) {
    std::vector<std::string> texts;
    const std::vector<SeenAttempt> seen = server().log().Attempts(id);
    for (const auto& bytes :
         seen.at(static_cast<size_t>(number - 1)).requests) {
      testing::EchoRequest request;
      EXPECT_TRUE(request.ParseFromString(bytes));
      texts.push_back(request.message());
    }
    return texts;
  }
  bool HalfClosed(int number, const std::string& id = kCall) {
    return server()
        .log()
        .Attempts(id)
        .at(static_cast<size_t>(number - 1))
        .half_closed;
  }
};

// The kinds that a row is about.
class ServerStreamTest : public StreamEndToEndTest {};
class BidiStreamTest : public StreamEndToEndTest {};
class SendingStreamTest : public StreamEndToEndTest {};  // Client and bidi.
class AnyStreamTest : public StreamEndToEndTest {};

std::vector<StreamStyle> SendingStyles();

}  // namespace retrykit

#endif  // TESTS_END_TO_END_STREAMS_STREAM_FIXTURE_H_
