#include "interceptors/adapter/status_text.h"

#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "interceptors/core/attempt_outcome.h"
#include "interceptors/core/reason.h"
#include "proto/retrykit/v1/status_details.pb.h"
#include "tests/support/row_name.h"
#include "tests/support/seeded_random.h"
#include "tests/support/shared_random.h"

namespace retrykit {
namespace {

using Trailing = std::multimap<grpc::string_ref, grpc::string_ref>;

constexpr char kRetryInfoUrl[] = "type.googleapis.com/google.rpc.RetryInfo";

grpc::Status Aborted(const std::string& details = "") {
  return grpc::Status(grpc::StatusCode::ABORTED, "no", details);
}

struct PushbackRow {
  std::string name;
  std::string text;
  Pushback::Kind kind;
  absl::Duration delay;
};

class PushbackTest : public testing::TestWithParam<PushbackRow> {};

TEST_P(PushbackTest, IsRead) {
  const std::string& text = GetParam().text;
  const Trailing trailing{{"grpc-retry-pushback-ms", text}};
  const Pushback pushback = OutcomeOf(Aborted(), trailing).pushback;
  EXPECT_EQ(pushback.kind, GetParam().kind);
  EXPECT_EQ(pushback.delay, GetParam().delay);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, PushbackTest,
    testing::Values(
        PushbackRow{"A13_Number", "200", Pushback::Kind::kWait,
                    absl::Milliseconds(200)},
        PushbackRow{"A15_Zero", "0", Pushback::Kind::kWait,
                    absl::ZeroDuration()},
        PushbackRow{"A14_Negative", "-1", Pushback::Kind::kStop, {}},
        PushbackRow{"A14_Empty", "", Pushback::Kind::kStop, {}},
        PushbackRow{"A14_Word", "abc", Pushback::Kind::kStop, {}},
        PushbackRow{"A14_Fraction", "1.5", Pushback::Kind::kStop, {}},
        PushbackRow{"Unit", "5ms", Pushback::Kind::kStop, {}},
        PushbackRow{"WhatCoreMakesOfAWord",
                    "-9223372036854775808",
                    Pushback::Kind::kStop,
                    {}},
        PushbackRow{"Largest", "9223372036854775807", Pushback::Kind::kWait,
                    absl::Milliseconds(std::numeric_limits<int64_t>::max())},
        PushbackRow{"BeyondTheLargest",
                    "9223372036854775808",
                    Pushback::Kind::kStop,
                    {}}),
    RowName());

TEST(OutcomeTest, WithoutPushbackTheServerSaidNothing) {
  const Trailing trailing{{"x-other", "5"}};
  const AttemptOutcome outcome = OutcomeOf(Aborted(), trailing);
  EXPECT_EQ(outcome.code, absl::StatusCode::kAborted);
  EXPECT_EQ(outcome.pushback.kind, Pushback::Kind::kNone);
  EXPECT_EQ(outcome.retry_info, absl::nullopt);
  EXPECT_EQ(outcome.retryable, absl::nullopt);
}

TEST(OutcomeTest, OfASuccessIsItsCodeAlone) {
  const Trailing trailing{{"grpc-retry-pushback-ms", "-1"}};
  const AttemptOutcome outcome = OutcomeOf(grpc::Status::OK, trailing);
  EXPECT_EQ(outcome.code, absl::StatusCode::kOk);
  EXPECT_EQ(outcome.pushback.kind, Pushback::Kind::kNone);
}

TEST(OutcomeTest, TakesThePushbackOfStringsThatEndWithoutAZero) {
  const std::string text = "2005";
  const Trailing trailing{
      {"grpc-retry-pushback-ms", grpc::string_ref(text.data(), 3)}};
  EXPECT_EQ(OutcomeOf(Aborted(), trailing).pushback.delay,
            absl::Milliseconds(200));
}

void AddRetryInfo(v1::StatusDetails& details, int64_t seconds, int32_t nanos,
                  const std::string& url = kRetryInfoUrl) {
  v1::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(nanos);
  auto* detail = details.add_details();
  detail->set_type_url(url);
  detail->set_value(info.SerializeAsString());
}

std::string DetailsWith(int64_t seconds, int32_t nanos) {
  v1::StatusDetails details;
  AddRetryInfo(details, seconds, nanos);
  return details.SerializeAsString();
}

absl::optional<absl::Duration> RetryInfoIn(const std::string& details) {
  return OutcomeOf(Aborted(details), {}).retry_info;
}

TEST(RetryInfoTest, A17_IsReadToTheNanosecond) {
  EXPECT_EQ(RetryInfoIn(DetailsWith(0, 150'000'100)),
            absl::Milliseconds(150) + absl::Nanoseconds(100));
  EXPECT_EQ(RetryInfoIn(DetailsWith(3, 1)),
            absl::Seconds(3) + absl::Nanoseconds(1));
}

TEST(RetryInfoTest, A17_ZeroAndNegativeAreIgnored) {
  EXPECT_EQ(RetryInfoIn(DetailsWith(0, 0)), absl::nullopt);
  EXPECT_EQ(RetryInfoIn(DetailsWith(-1, 0)), absl::nullopt);
  EXPECT_EQ(RetryInfoIn(DetailsWith(0, -1)), absl::nullopt);
  EXPECT_EQ(RetryInfoIn(DetailsWith(std::numeric_limits<int64_t>::min(), -1)),
            absl::nullopt);
}

TEST(RetryInfoTest, A17_AYearAndAllTimeAreRead) {
  EXPECT_EQ(RetryInfoIn(DetailsWith(365 * 86'400, 0)), absl::Hours(365 * 24));
  EXPECT_EQ(RetryInfoIn(
                DetailsWith(std::numeric_limits<int64_t>::max(), 999'999'999)),
            absl::Seconds(std::numeric_limits<int64_t>::max()) +
                absl::Nanoseconds(999'999'999));
}

TEST(RetryInfoTest, WithoutADelayIsIgnored) {
  v1::StatusDetails details;
  details.add_details()->set_type_url(kRetryInfoUrl);
  EXPECT_EQ(RetryInfoIn(details.SerializeAsString()), absl::nullopt);
}

TEST(RetryInfoTest, OtherDetailsAreSkipped) {
  v1::StatusDetails details;
  AddRetryInfo(details, 7, 0, "type.googleapis.com/google.rpc.QuotaFailure");
  auto* garbage = details.add_details();
  garbage->set_type_url(kRetryInfoUrl);
  garbage->set_value("\xff\xff\xff");
  AddRetryInfo(details, -7, 0);
  AddRetryInfo(details, 1, 0);
  AddRetryInfo(details, 2, 0);
  EXPECT_EQ(RetryInfoIn(details.SerializeAsString()), absl::Seconds(1));
}

TEST(RetryInfoTest, DetailsThatDoNotParseAreIgnored) {
  EXPECT_EQ(RetryInfoIn("not a message at all"), absl::nullopt);
  EXPECT_EQ(RetryInfoIn(std::string(1000, '\xff')), absl::nullopt);
  const std::string whole = DetailsWith(1, 0);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(RetryInfoIn(whole.substr(0, size)), absl::nullopt) << size;
}

TEST(RetryInfoTest, AnyBytesAreReadWithoutHarm) {
  SeededRandom random;
  const std::string whole = DetailsWith(1, 5);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    const absl::optional<absl::Duration> read = RetryInfoIn(bytes);
    EXPECT_GT(read.value_or(absl::Seconds(1)), absl::ZeroDuration());
  }
}

struct TextRow {
  std::string name;
  Reason reason;
  int attempts;
  std::string text;  // Of a status that said "boom".
};

class AnnotationTest : public testing::TestWithParam<TextRow> {};

TEST_P(AnnotationTest, StandsBehindTheText) {
  const grpc::Status status(grpc::StatusCode::ABORTED, "boom", "details");
  const grpc::Status said =
      Annotated(status, GetParam().reason, GetParam().attempts, nullptr);
  EXPECT_EQ(said.error_message(), GetParam().text);
  EXPECT_EQ(said.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(said.error_details(), "details");
}

INSTANTIATE_TEST_SUITE_P(
    OneAttempt, AnnotationTest,
    testing::Values(TextRow{"Cancelled", Reason::kCancelled, 1, "boom"},
                    TextRow{"DeadlineExceeded", Reason::kDeadlineExceeded, 1,
                            "boom"},
                    TextRow{"NotRetryable", Reason::kNotRetryable, 1, "boom"},
                    TextRow{"Committed", Reason::kCommitted, 1, "boom"},
                    TextRow{"MaxAttempts", Reason::kMaxAttempts, 1, "boom"},
                    TextRow{"Buffer", Reason::kBuffer, 1,
                            "boom [retrykit: buffer after 1 attempts]"},
                    TextRow{"Pushback", Reason::kPushback, 1,
                            "boom [retrykit: pushback after 1 attempts]"},
                    TextRow{"Nested", Reason::kNested, 1,
                            "boom [retrykit: nested after 1 attempts]"},
                    TextRow{"Budget", Reason::kBudget, 1,
                            "boom [retrykit: budget after 1 attempts]"},
                    TextRow{"Breaker", Reason::kBreaker, 0,
                            "boom [retrykit: breaker after 0 attempts]"},
                    TextRow{"Deadline", Reason::kDeadline, 1,
                            "boom [retrykit: deadline after 1 attempts]"}),
    RowName());

INSTANTIATE_TEST_SUITE_P(
    SeveralAttempts, AnnotationTest,
    testing::Values(TextRow{"Cancelled", Reason::kCancelled, 2,
                            "boom [retrykit: cancelled after 2 attempts]"},
                    TextRow{
                        "DeadlineExceeded", Reason::kDeadlineExceeded, 2,
                        "boom [retrykit: deadline_exceeded after 2 attempts]"},
                    TextRow{"NotRetryable", Reason::kNotRetryable, 3, "boom"},
                    TextRow{"Committed", Reason::kCommitted, 2,
                            "boom [retrykit: committed after 2 attempts]"},
                    TextRow{"MaxAttempts", Reason::kMaxAttempts, 3,
                            "boom [retrykit: max_attempts after 3 attempts]"},
                    TextRow{"Budget", Reason::kBudget, 2,
                            "boom [retrykit: budget after 2 attempts]"}),
    RowName());

TEST(AnnotatedTest, ASuccessIsUntouched) {
  EXPECT_TRUE(Annotated(grpc::Status::OK, Reason::kSuccess, 3, nullptr).ok());
  EXPECT_EQ(
      Annotated(grpc::Status::OK, Reason::kSuccess, 3, nullptr).error_message(),
      "");
}

TEST(AnnotatedTest, IsNeverSaidTwiceAlongAChain) {
  const grpc::Status inner(grpc::StatusCode::UNAVAILABLE,
                           "boom [retrykit: budget after 2 attempts]");
  EXPECT_EQ(Annotated(inner, Reason::kMaxAttempts, 3, nullptr).error_message(),
            "boom [retrykit: budget after 2 attempts]");
}

TEST(AnnotatedTest, ADeadlineDuringARetryNamesTheLastRealStatus) {
  const grpc::Status late(grpc::StatusCode::DEADLINE_EXCEEDED,
                          "Deadline Exceeded");
  const grpc::Status before(grpc::StatusCode::UNAVAILABLE, "boom");
  EXPECT_EQ(
      Annotated(late, Reason::kDeadlineExceeded, 2, &before).error_message(),
      "Deadline Exceeded; last status UNAVAILABLE: boom [retrykit: "
      "deadline_exceeded after 2 attempts]");
}

TEST(StatusWithoutAttemptTest, SpeaksAsGrpcDoes) {
  const grpc::Status cancelled =
      StatusWithoutAttempt(absl::StatusCode::kCancelled);
  EXPECT_EQ(cancelled.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(cancelled.error_message(), "CANCELLED");
  const grpc::Status late =
      StatusWithoutAttempt(absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(late.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(late.error_message(), "Deadline Exceeded");
}

TEST(BreakerOpenStatusTest, NamesTheBreakerAndTheTimeLeft) {
  SharedRandom<> random;
  const grpc::Status status = BreakerOpenStatus(
      "dns:///pay:443", "/pay.v1.Pay/", absl::Milliseconds(4200), random);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(),
            "circuit breaker of /pay.v1.Pay/ on dns:///pay:443 is open for "
            "another 4.2s");
}

TEST(BreakerOpenStatusTest, TimeLeftIsRoundedUpToAMillisecond) {
  SharedRandom<> random;
  const grpc::Status status =
      BreakerOpenStatus("t", "e", absl::Nanoseconds(1), random);
  EXPECT_EQ(status.error_message(),
            "circuit breaker of e on t is open for another 1ms");
}

TEST(BreakerOpenStatusTest, TellsOtherClientsToWaitUpToAFifthLonger) {
  SharedRandom<> random;
  for (int i = 0; i < 100; ++i) {
    const grpc::Status status =
        BreakerOpenStatus("t", "e", absl::Seconds(10), random);
    const auto told = RetryInfoIn(status.error_details());
    ASSERT_TRUE(told);
    EXPECT_GE(*told, absl::Seconds(10));
    EXPECT_LE(*told, absl::Seconds(12));
  }
}

TEST(BreakerOpenStatusTest, ItsDetailsRepeatCodeAndText) {
  SharedRandom<> random;
  const grpc::Status status =
      BreakerOpenStatus("t", "e", absl::Milliseconds(1500), random);
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), 14);
  EXPECT_EQ(details.message(), status.error_message());
  ASSERT_EQ(details.details_size(), 1);
  EXPECT_EQ(details.details(0).type_url(), kRetryInfoUrl);
}

}  // namespace
}  // namespace retrykit
