#include "interceptors/adapter/codec.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

namespace retrykit {
namespace {

class Protobuf final : public Codec {
 public:
  grpc::Status Deserialize(grpc::ByteBuffer* bytes,
                           void* message) const override {
    grpc::ProtoBufferReader reader(bytes);
    if (!reader.status().ok()) return reader.status();
    auto* out = static_cast<google::protobuf::MessageLite*>(message);
    if (out->ParseFromZeroCopyStream(&reader)) return reader.status();
    return grpc::Status(grpc::StatusCode::INTERNAL,
                        out->InitializationErrorString());
  }
};

class Bytes final : public Codec {
 public:
  grpc::Status Deserialize(grpc::ByteBuffer* bytes,
                           void* message) const override {
    static_cast<grpc::ByteBuffer*>(message)->Swap(bytes);
    return grpc::Status::OK;
  }
};

}  // namespace

std::shared_ptr<const Codec> ProtobufCodec() {
  static const auto* codec =
      new std::shared_ptr<const Codec>(std::make_shared<Protobuf>());
  return *codec;
}

std::shared_ptr<const Codec> ByteBufferCodec() {
  static const auto* codec =
      new std::shared_ptr<const Codec>(std::make_shared<Bytes>());
  return *codec;
}

}  // namespace retrykit
