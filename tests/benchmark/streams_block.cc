#include "tests/benchmark/streams_block.h"

#include <string>

#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/benchmark/streams_apis.h"

namespace retrykit {
namespace {

// The clock is dear beside a small message.
constexpr int64_t kOneWayBatch = 32;

using Run = void (*)(testing::Echo::Stub&, const testing::EchoRequest&,
                     StreamMeter&);

Run RunOf(const StreamLoad& load) {
  const bool cq = load.api == "cq";
  const bool callback = load.api == "callback";
  if (load.kind == "server_stream") {
    return cq ? ReadThroughQueue : callback ? ReadThroughReactor : ReadBlocking;
  }
  if (load.kind == "client_stream") {
    return cq         ? WriteThroughQueue
           : callback ? WriteThroughReactor
                      : WriteBlocking;
  }
  return cq         ? PingPongThroughQueue
         : callback ? PingPongThroughReactor
                    : PingPongBlocking;
}

}  // namespace

Cost RunStreamBlock(const std::shared_ptr<grpc::Channel>& channel,
                    const StreamLoad& load, absl::Duration length) {
  testing::Echo::Stub stub(channel);
  testing::EchoRequest request;
  request.set_payload(std::string(static_cast<size_t>(load.bytes), 'x'));
  StreamMeter meter(length, load.kind == "ping_pong" ? 1 : kOneWayBatch);
  RunOf(load)(stub, request, meter);
  return meter.cost();
}

}  // namespace retrykit
