#include "tests/support/echo_stream.h"

#include <utility>

#include "interceptors/core/clock.h"
#include "tests/support/echo_stream_drivers.h"
#include "tests/support/metadata.h"
#include "tests/support/real_time.h"
#include "tests/support/scripted_server.h"

namespace retrykit {
namespace {

const char* KindName(StreamKind kind) {
  switch (kind) {
    case StreamKind::kServer:
      return "Server";
    case StreamKind::kClient:
      return "Client";
    case StreamKind::kBidi:
      return "Bidi";
  }
  return "Unknown";
}

const char* ApiName(StreamApi api) {
  switch (api) {
    case StreamApi::kSync:
      return "Sync";
    case StreamApi::kCq:
      return "Cq";
    case StreamApi::kReactor:
      return "Reactor";
  }
  return "Unknown";
}

}  // namespace

std::vector<StreamStyle> StylesOf(StreamKind kind) {
  std::vector<StreamStyle> styles;
  for (StreamApi api : kAllStreamApis) styles.push_back({kind, api});
  return styles;
}

std::vector<StreamStyle> AllStreamStyles() {
  std::vector<StreamStyle> styles;
  for (StreamKind kind :
       {StreamKind::kServer, StreamKind::kClient, StreamKind::kBidi}) {
    for (StreamApi api : kAllStreamApis) styles.push_back({kind, api});
  }
  return styles;
}

std::string StreamStyleName(const StreamStyle& style) {
  return std::string(KindName(style.kind)) + ApiName(style.api);
}

std::string StreamStyleTestName(
    const ::testing::TestParamInfo<StreamStyle>& info) {
  return StreamStyleName(info.param);
}

std::unique_ptr<EchoStream> EchoStream::New(
    const StreamStyle& style, std::shared_ptr<grpc::ChannelInterface> channel,
    const std::string& id) {
  switch (style.api) {
    case StreamApi::kSync:
      return NewSyncStream(style.kind, std::move(channel), id);
    case StreamApi::kCq:
      return NewCqStream(style.kind, std::move(channel), id);
    case StreamApi::kReactor:
      return NewReactorStream(style.kind, std::move(channel), id);
  }
  return nullptr;
}

EchoStream::EchoStream(std::shared_ptr<grpc::ChannelInterface> channel,
                       const std::string& id)
    : stub_(testing::Echo::NewStub(std::move(channel))),
      id_(id),
      context_(std::make_unique<grpc::ClientContext>()),
      created_(MonotonicClock().Now()) {
  context_->AddMetadata(kCallIdHeader, id);
  context_->set_deadline(DeadlineIn(kPatience));
}

testing::EchoRequest EchoStream::Request(const std::string& text) const {
  return RequestFor(id_, text);
}

void EchoStream::UseContext(std::unique_ptr<grpc::ClientContext> context) {
  context_ = std::move(context);
  context_->AddMetadata(kCallIdHeader, id_);
}

void EchoStream::Cork() {
  corked_ = true;
  context_->set_initial_metadata_corked(true);
}

bool EchoStream::WriteBytes(size_t bytes, const std::string& text) {
  testing::EchoRequest request = Request(text);
  request.set_payload(std::string(bytes, 'x'));
  return Send(request, false);
}

std::vector<std::string> EchoStream::ReadAll() {
  std::vector<std::string> texts;
  testing::EchoResponse response;
  while (Read(&response)) texts.push_back(response.message());
  return texts;
}

EchoResult EchoStream::Finish() {
  EchoResult result;
  result.status = AwaitStatus();
  result.duration = MonotonicClock().Now() - created_;
  result.completions = 1;
  result.response = response_;
  result.initial_metadata = CopyOf(context_->GetServerInitialMetadata());
  result.trailing_metadata = CopyOf(context_->GetServerTrailingMetadata());
  return result;
}

}  // namespace retrykit
