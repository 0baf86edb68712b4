// Between the application's messages and the bytes that attempts carry.
//
// gRPC hands an interceptor the response as an untyped pointer: a codec knows
// what stands behind it. Generated stubs receive into a protobuf message
// (ProtobufCodec, the default), generic stubs into a grpc::ByteBuffer
// (ByteBufferCodec).
//
//   retrykit::Options options;
//   options.codec = retrykit::ByteBufferCodec();  // Generic stubs only.
//
// A codec that does not fit the stub is undefined behaviour: the pointer is
// cast without a check. Calls of methods without a policy never reach a codec,
// unless a CallScope asks for retries of theirs.
//
// Thread-safety: const members are called from any thread.
#ifndef RETRYKIT_INTERCEPTORS_ADAPTER_CODEC_H_
#define RETRYKIT_INTERCEPTORS_ADAPTER_CODEC_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <memory>

namespace retrykit {

class Codec {
 public:
  virtual ~Codec() = default;

  // Reads `bytes` into `message`, the object that the stub gave to gRPC.
  // `bytes` may be consumed. Errors: any status but OK means "does not parse".
  virtual grpc::Status Deserialize(grpc::ByteBuffer* bytes,
                                   void* message) const = 0;
};

// For generated protobuf stubs: `message` is a google::protobuf::MessageLite.
std::shared_ptr<const Codec> ProtobufCodec();

// For generic stubs and proxies: `message` is a grpc::ByteBuffer.
std::shared_ptr<const Codec> ByteBufferCodec();

}  // namespace retrykit

#endif  // RETRYKIT_INTERCEPTORS_ADAPTER_CODEC_H_
