// One stream of the echo service, of any of the three kinds and through any of
// gRPC's C++ APIs, told what to do step by step.
//
//   auto stream = EchoStream::New({StreamKind::kBidi, StreamApi::kReactor},
//                                 channel, "call");
//   stream->Start();
//   EXPECT_TRUE(stream->Write("hello"));
//   EXPECT_TRUE(stream->WritesDone());
//   EXPECT_EQ(stream->ReadAll(), std::vector<std::string>{"hello"});
//   EXPECT_TRUE(stream->Finish().status.ok());
//
// Every step waits for its own end, in the asynchronous APIs too. Reading and
// writing may go on side by side, on two threads.
//
// Thread-safety: one reader, one writer; Cancel from any thread.
// Lifetime: a stream that is destroyed without Finish is dropped as its API
// allows: reactors are cancelled and waited for, since nothing else is legal.
#ifndef TESTS_SUPPORT_ECHO_STREAM_H_
#define TESTS_SUPPORT_ECHO_STREAM_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "interceptors/core/instant.h"
#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/support/echo_call.h"

namespace retrykit {

enum class StreamKind : unsigned char { kServer, kClient, kBidi };
enum class StreamApi : unsigned char { kSync, kCq, kReactor };

struct StreamStyle {
  StreamKind kind = StreamKind::kBidi;
  StreamApi api = StreamApi::kSync;
};

inline constexpr StreamApi kAllStreamApis[] = {StreamApi::kSync, StreamApi::kCq,
                                               StreamApi::kReactor};

// The kind through all APIs, and all nine.
std::vector<StreamStyle> StylesOf(StreamKind kind);
std::vector<StreamStyle> AllStreamStyles();

// "BidiSync", "ServerCq", ...
std::string StreamStyleName(const StreamStyle& style);
std::string StreamStyleTestName(
    const ::testing::TestParamInfo<StreamStyle>& info);

class EchoStream {
 public:
  // The id goes into metadata and every request. The context has a deadline of
  // kPatience, so that no test hangs; set another before Start.
  static std::unique_ptr<EchoStream> New(
      const StreamStyle& style, std::shared_ptr<grpc::ChannelInterface> channel,
      const std::string& id);
  EchoStream(std::shared_ptr<grpc::ChannelInterface> channel,
             const std::string& id);
  virtual ~EchoStream() = default;
  EchoStream(const EchoStream&) = delete;
  EchoStream& operator=(const EchoStream&) = delete;

  grpc::ClientContext& context() { return *context_; }
  void Cancel() { context_->TryCancel(); }
  // In place of the fresh context, before Start: one that comes from a
  // server's.
  void UseContext(std::unique_ptr<grpc::ClientContext> context);
  // Headers go with the first message. Before Start; client and bidi streams.
  void Cork();

  // Starts the call; a server stream with a request of this text.
  virtual void Start(const std::string& request = "hello") = 0;

  // Client and bidi streams. False: the stream is broken.
  bool Write(const std::string& text) { return Send(Request(text), false); }
  // Half-closes with the message.
  bool WriteLast(const std::string& text) { return Send(Request(text), true); }
  // A message of that many bytes of ballast.
  bool WriteBytes(size_t bytes, const std::string& text = "");
  virtual bool WritesDone() = 0;

  // Waits for the headers. False only through reactors: there were none.
  virtual bool ReadHeaders() = 0;

  // Server and bidi streams. False: there is no further message.
  virtual bool Read(testing::EchoResponse* response) = 0;
  // The texts of all messages to the end.
  std::vector<std::string> ReadAll();

  // Waits for the end. A client stream's response is in the result; its
  // duration counts from New.
  EchoResult Finish();

 protected:
  testing::EchoRequest Request(const std::string& text) const;
  virtual bool Send(const testing::EchoRequest& request, bool last) = 0;
  virtual grpc::Status AwaitStatus() = 0;

  const std::unique_ptr<testing::Echo::Stub> stub_;
  const std::string id_;
  std::unique_ptr<grpc::ClientContext> context_;
  testing::EchoResponse response_;  // A client stream's.
  bool corked_ = false;

 private:
  const Instant created_;
};

}  // namespace retrykit

#endif  // TESTS_SUPPORT_ECHO_STREAM_H_
