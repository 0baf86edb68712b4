#include "tests/soak/soak_calls.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interceptors/core/clock.h"
#include "tests/support/real_time.h"
#include "tests/support/scripted_server.h"

namespace retrykit {

namespace {

using grpc::StatusCode;

absl::Duration Between(int low, int high, SeededRandom& random) {
  const auto range = static_cast<uint64_t>(high - low);
  return absl::Milliseconds(low + static_cast<int>(random() % range));
}

// What the server, the network and the client may say. gRPC reports a broken
// stream as INTERNAL or UNKNOWN in places.
bool MayEndWith(StatusCode code, bool cancelled) {
  switch (code) {
    case StatusCode::OK:
    case StatusCode::UNAVAILABLE:
    case StatusCode::ABORTED:
    case StatusCode::RESOURCE_EXHAUSTED:
    case StatusCode::INVALID_ARGUMENT:
    case StatusCode::DEADLINE_EXCEEDED:
      return true;
    case StatusCode::CANCELLED:
      return cancelled;
    default:
      return false;
  }
}

class Judge {
 public:
  explicit Judge(const SoakCall& call) : call_(call) {}

  void Expect(bool holds, const std::string& mistake) {
    if (!holds && end_.mistake.empty()) {
      end_.mistake = absl::StrCat("call ", call_.id, ", ",
                                  SoakCallStyleName(call_), ": ", mistake);
    }
  }

  SoakEnd End(const EchoResult& result, absl::Duration limit) {
    end_.code = result.status.error_code();
    end_.lateness = std::max(result.duration - limit, absl::ZeroDuration());
    Expect(result.completions == 1,
           absl::StrCat("it ended ", result.completions, " times"));
    Expect(
        MayEndWith(end_.code, call_.cancel_after.has_value()),
        absl::StrCat("code ", end_.code, ": ", result.status.error_message()));
    return end_;
  }

 private:
  const SoakCall& call_;
  SoakEnd end_;
};

// How long after its start a call should have ended.
class Limit {
 public:
  explicit Limit(absl::Duration deadline)
      : start_(MonotonicClock().Now()), length_(deadline) {}
  void Cancelled() {
    length_ = std::min(length_, MonotonicClock().Now() - start_);
  }
  absl::Duration length() const { return length_; }

 private:
  const Instant start_;
  absl::Duration length_;
};

SoakEnd MakeUnaryCall(const SoakCall& call,
                      const std::shared_ptr<grpc::Channel>& channel) {
  testing::EchoRequest request = RequestFor(call.id, call.id);
  request.set_payload(std::string(call.payload_size, 'x'));
  EchoCall echo(call.unary_style, channel, request);
  echo.context().AddMetadata(kCallIdHeader, call.id);
  echo.context().set_deadline(DeadlineIn(call.deadline));
  Limit limit(call.deadline);
  echo.Start();
  if (call.cancel_after.has_value()) {
    LetPass(*call.cancel_after);
    limit.Cancelled();
    echo.Cancel();
  }
  const EchoResult result = echo.Wait();
  Judge judge(call);
  if (result.status.ok()) {
    judge.Expect(result.response.message() == call.id, "another call's answer");
    judge.Expect(result.response.payload().size() == call.payload_size,
                 "a payload of another size");
  }
  return judge.End(result, limit.length());
}

// "0", "1", ...: what a stream sends and gets back.
std::string Text(int i) { return absl::StrCat(i); }

// Writes as far as it goes, and half-closes.
void WriteAll(const SoakCall& call, EchoStream& stream) {
  for (int i = 0; i < call.messages; ++i) {
    if (!stream.WriteBytes(call.payload_size, Text(i))) return;
  }
  stream.WritesDone();
}

void ExpectAnswers(const SoakCall& call, const std::vector<std::string>& got,
                   bool ok, Judge& judge) {
  for (size_t i = 0; i < got.size(); ++i) {
    judge.Expect(got[i] == Text(static_cast<int>(i)),
                 absl::StrCat("answer ", i, " is '", got[i], "'"));
  }
  const size_t wanted = static_cast<size_t>(call.messages);
  judge.Expect(!ok || got.size() == wanted,
               absl::StrCat("OK after ", got.size(), " answers of ", wanted));
}

std::string JoinedTexts(int count) {
  std::string joined;
  for (int i = 0; i < count; ++i) absl::StrAppend(&joined, Text(i), ",");
  return joined;
}

SoakEnd MakeStream(const SoakCall& call,
                   const std::shared_ptr<grpc::Channel>& channel) {
  const auto stream = EchoStream::New(call.stream_style, channel, call.id);
  stream->context().set_deadline(DeadlineIn(call.deadline));
  Limit limit(call.deadline);
  const StreamKind kind = call.stream_style.kind;
  stream->Start(Text(call.messages));
  if (kind != StreamKind::kServer) WriteAll(call, *stream);
  if (call.cancel_after.has_value()) {
    LetPass(*call.cancel_after);
    limit.Cancelled();
    stream->Cancel();
  }
  std::vector<std::string> answers;
  if (kind != StreamKind::kClient) answers = stream->ReadAll();
  const EchoResult result = stream->Finish();
  Judge judge(call);
  if (kind != StreamKind::kClient) {
    ExpectAnswers(call, answers, result.status.ok(), judge);
  } else if (result.status.ok()) {
    judge.Expect(result.response.message() == JoinedTexts(call.messages),
                 "the server did not get what was written");
  }
  return judge.End(result, limit.length());
}

}  // namespace

SoakCall DrawSoakCall(SeededRandom& random, const std::string& id) {
  SoakCall call;
  call.id = id;
  call.unary = random() % 2 == 0;
  call.unary_style = kAllCallStyles[random() % std::size(kAllCallStyles)];
  call.stream_style.kind = static_cast<StreamKind>(random() % 3);
  call.stream_style.api = kAllStreamApis[random() % std::size(kAllStreamApis)];
  call.messages = 1 + static_cast<int>(random() % 6);
  call.payload_size = random() % 10 == 0 ? 20000 : random() % 500;
  call.deadline = Between(50, 1500, random);
  if (random() % 20 == 0) call.cancel_after = Between(0, 60, random);
  return call;
}

std::string SoakCallStyleName(const SoakCall& call) {
  return call.unary ? CallStyleName(call.unary_style)
                    : StreamStyleName(call.stream_style);
}

SoakEnd MakeSoakCall(const SoakCall& call,
                     const std::shared_ptr<grpc::Channel>& channel) {
  return call.unary ? MakeUnaryCall(call, channel) : MakeStream(call, channel);
}

}  // namespace retrykit
