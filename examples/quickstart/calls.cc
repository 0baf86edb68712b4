#include "examples/quickstart/calls.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace quickstart {

Calls::Calls(const std::shared_ptr<grpc::Channel>& channel, int count)
    : stub_(retrykit::testing::Echo::NewStub(channel)), unfinished_(count) {
  for (int number = 0; number < count; ++number) {
    calls_.push_back(std::make_unique<Call>());
    calls_.back()->request.set_id(absl::StrCat("call ", number));
  }
}

void Calls::Start(int number) {
  Call& call = *calls_[static_cast<size_t>(number)];
  call.start = absl::Now();
  call.context.set_deadline(absl::ToChronoTime(call.start + absl::Seconds(3)));
  stub_->async()->Unary(&call.context, &call.request, &call.response,
                        [this, &call](grpc::Status status) {
                          call.status = status;
                          call.duration = absl::Now() - call.start;
                          unfinished_.DecrementCount();
                        });
}

}  // namespace quickstart
