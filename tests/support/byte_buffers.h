// grpc::ByteBuffer and std::string, there and back.
#ifndef TESTS_SUPPORT_BYTE_BUFFERS_H_
#define TESTS_SUPPORT_BYTE_BUFFERS_H_

#include <grpcpp/support/byte_buffer.h>

#include <string>

namespace retrykit {

// The bytes as one slice; an empty string gives an empty message, not an
// invalid buffer.
grpc::ByteBuffer BufferOf(const std::string& bytes);

std::string BytesOf(const grpc::ByteBuffer& buffer);

}  // namespace retrykit

#endif  // TESTS_SUPPORT_BYTE_BUFFERS_H_
