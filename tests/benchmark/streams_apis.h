// The same three streams through each of gRPC's APIs: the server sends and the
// client reads; the client writes; each message is answered before the next.
// Each ends when the meter says so.
#ifndef TESTS_BENCHMARK_STREAMS_APIS_H_
#define TESTS_BENCHMARK_STREAMS_APIS_H_

#include "proto/retrykit/testing/echo.grpc.pb.h"
#include "tests/benchmark/streams_meter.h"

namespace retrykit {

void ReadBlocking(testing::Echo::Stub& stub,
                  const testing::EchoRequest& request, StreamMeter& meter);
void WriteBlocking(testing::Echo::Stub& stub,
                   const testing::EchoRequest& request, StreamMeter& meter);
void PingPongBlocking(testing::Echo::Stub& stub,
                      const testing::EchoRequest& request, StreamMeter& meter);

void ReadThroughQueue(testing::Echo::Stub& stub,
                      const testing::EchoRequest& request, StreamMeter& meter);
void WriteThroughQueue(testing::Echo::Stub& stub,
                       const testing::EchoRequest& request, StreamMeter& meter);
void PingPongThroughQueue(testing::Echo::Stub& stub,
                          const testing::EchoRequest& request,
                          StreamMeter& meter);

void ReadThroughReactor(testing::Echo::Stub& stub,
                        const testing::EchoRequest& request,
                        StreamMeter& meter);
void WriteThroughReactor(testing::Echo::Stub& stub,
                         const testing::EchoRequest& request,
                         StreamMeter& meter);
void PingPongThroughReactor(testing::Echo::Stub& stub,
                            const testing::EchoRequest& request,
                            StreamMeter& meter);

}  // namespace retrykit

#endif  // TESTS_BENCHMARK_STREAMS_APIS_H_
