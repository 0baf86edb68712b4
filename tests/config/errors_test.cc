// What is refused, with exact texts.

#include <gtest/gtest.h>

#include <string>

#include "tests/config/parsing.h"

namespace retrykit {
namespace {

TEST(E02, FiveMistakesInOneFileAreFiveErrors) {
  EXPECT_EQ(
      ErrorOf(R"({"methodConfig":[
          {"name":[{"service":"S"}],"timeout":"100ms",
           "retryPolicy":{"maxAttempts":1,"initialBackoff":"0.1s",
               "maxBackoff":"1s","backoffMultiplier":2,
               "retryableStatusCodes":["UNAVAILABLE","CANCELED"]}},
          {"name":[{"service":"S"}]}],
          "retryThrottling":{"maxTokens":2000,"tokenRatio":0.1}})"),
      Errors("field:methodConfig[0].retryPolicy.maxAttempts "
             "error:must be at least 2; "
             "field:methodConfig[0].retryPolicy.retryableStatusCodes[1] "
             "error:failed to parse status code, did you mean \"CANCELLED\"?; "
             "field:methodConfig[0].timeout error:Not a duration (not a number "
             "of seconds), did you mean \"0.1s\"?; "
             "field:methodConfig[1].name[0] error:multiple method configs for "
             "path /S/; "
             "field:retryThrottling.maxTokens error:must be at most 1000"));
}

struct Row {
  const char* name;
  std::string json;
  const char* error;
};

class Slip : public testing::TestWithParam<Row> {};

TEST_P(Slip, HasTheRightSuggestion) {
  EXPECT_EQ(ErrorOf(GetParam().json), Errors(GetParam().error));
}

const Row kSlips[] = {
    {"TopLevel", R"({"methodConfg":[]})",
     "field:methodConfg error:unknown field, did you mean methodConfig?"},
    {"TopLevelSnakeCase", R"({"retry_throttling":{}})",
     "field:retry_throttling error:unknown field, did you mean "
     "retryThrottling?"},
    {"Misplaced", R"({"retryPolicy":{}})",
     "field:retryPolicy error:unknown field, it belongs at "
     "methodConfig[].retryPolicy"},
    {"MisplacedDeep", OneMethod(R"("circuitBreaker":{})"),
     "field:methodConfig[0].circuitBreaker error:unknown field, it belongs at "
     "methodConfig[].retrykit.circuitBreaker"},
    {"GlobalOptions", R"({"retrykit":{"throttleMode":"ENFORCE"}})",
     "field:retrykit.throttleMode error:unknown field, did you mean "
     "throttlingMode?"},
    {"Throttling", R"({"retryThrottling":{"max_tokens":10,"tokenRatio":1}})",
     "field:retryThrottling.max_tokens error:unknown field, did you mean "
     "maxTokens?"},
    {"MethodConfig", OneMethod(R"("timeOut":"1s")"),
     "field:methodConfig[0].timeOut error:unknown field, did you mean "
     "timeout?"},
    {"Name", R"({"methodConfig":[{"name":[{"svc":"S"},{"methd":"M"}]}]})",
     "field:methodConfig[0].name[0].svc error:unknown field; "
     "field:methodConfig[0].name[1].methd error:unknown field, did you mean "
     "method?"},
    {"RetryPolicy", OneMethod(R"("retryPolicy":{"MaxAttempts":3,
        "initial_backoff":"0.1s","maxBackof":"1s","backofMultiplier":2,
        "retryableStatusCode":["UNAVAILABLE"]})"),
     "field:methodConfig[0].retryPolicy.MaxAttempts error:unknown field, did "
     "you mean maxAttempts?; "
     "field:methodConfig[0].retryPolicy.backofMultiplier error:unknown field, "
     "did you mean backoffMultiplier?; "
     "field:methodConfig[0].retryPolicy.initial_backoff error:unknown field, "
     "did you mean initialBackoff?; "
     "field:methodConfig[0].retryPolicy.maxBackof error:unknown field, did you "
     "mean maxBackoff?; "
     "field:methodConfig[0].retryPolicy.retryableStatusCode error:unknown "
     "field, did you mean retryableStatusCodes?"},
    {"HedgingPolicy",
     OneMethod(R"("hedgingPolicy":{"maxAttempts":2,"hedgeDelay":"1s"})"),
     "field:methodConfig[0].hedgingPolicy.hedgeDelay error:unknown field, did "
     "you mean hedgingDelay?"},
    {"MethodOptions", OneMethod(R"("retrykit":{"perAttemptTimeOut":"1s"})"),
     "field:methodConfig[0].retrykit.perAttemptTimeOut error:unknown field, "
     "did you mean perAttemptTimeout?"},
    {"IdempotencyKey",
     OneMethod(R"("retrykit":{"idempotencyKey":{"headers":"a"}})"),
     "field:methodConfig[0].retrykit.idempotencyKey.headers error:unknown "
     "field, did you mean header?"},
    {"CircuitBreaker",
     OneMethod(R"("retrykit":{"circuitBreaker":{"windowCall":5}})"),
     "field:methodConfig[0].retrykit.circuitBreaker.windowCall error:unknown "
     "field, did you mean windowCalls?"},
    {"Hedging", OneMethod(R"("hedgingPolicy":{"maxAttempts":2},
        "retrykit":{"hedging":{"maxExtraLoads":1}})"),
     "field:methodConfig[0].retrykit.hedging.maxExtraLoads error:unknown "
     "field, did you mean maxExtraLoad?"},
    {"Jitter", OneMethod(R"("retrykit":{"jitter":"decorelated"})"),
     "field:methodConfig[0].retrykit.jitter error:unknown value, did you mean "
     "\"DECORRELATED\"?"},
    {"UnspecifiedIsNoValue",
     OneMethod(R"("retrykit":{"jitter":"JITTER_UNSPECIFIED"})"),
     "field:methodConfig[0].retrykit.jitter error:unknown value"},
    {"Scope", OneMethod(R"("retrykit":{"circuitBreaker":{"scope":"methods"}})"),
     "field:methodConfig[0].retrykit.circuitBreaker.scope error:unknown value, "
     "did you mean \"METHOD\"?"},
    {"StatusCode", OneMethod(R"("hedgingPolicy":{"maxAttempts":2,
        "nonFatalStatusCodes":["DeadlineExceeded"]})"),
     "field:methodConfig[0].hedgingPolicy.nonFatalStatusCodes[0] error:failed "
     "to parse status code, did you mean \"DEADLINE_EXCEEDED\"?"},
    {"Minutes", OneMethod(R"("timeout":"1m30s")"),
     "field:methodConfig[0].timeout error:Not a duration (not a number of "
     "seconds), did you mean \"90s\"?"},
    {"BareNumber", OneMethod(R"("timeout":5)"),
     "field:methodConfig[0].timeout error:is not a string, did you mean "
     "\"5s\"?"},
    {"BooleanInQuotes", OneMethod(R"("waitForReady":"True")"),
     "field:methodConfig[0].waitForReady error:is not a boolean, did you mean "
     "true?"},
    {"WildcardService", R"({"methodConfig":[{"name":[{"service":"*"}]}]})",
     "field:methodConfig[0].name[0].service error:is not a wildcard, did you "
     "mean {}?"},
    {"WildcardMethod",
     R"({"methodConfig":[{"name":[{"service":"S","method":"*"}]}]})",
     "field:methodConfig[0].name[0].method error:is not a wildcard, did you "
     "mean {\"service\": ...} alone?"},
};

INSTANTIATE_TEST_SUITE_P(E03, Slip, testing::ValuesIn(kSlips),
                         [](const auto& row) { return row.param.name; });

class Refused : public testing::TestWithParam<Row> {};

TEST_P(Refused, WithPathAndText) {
  EXPECT_EQ(ErrorOf(GetParam().json), Errors(GetParam().error));
}

std::string Retrykit(const std::string& members) {
  return OneMethod("\"retrykit\":{" + members + "}");
}
std::string Breaker(const std::string& members) {
  return Retrykit("\"circuitBreaker\":{" + members + "}");
}
std::string Header(const std::string& name) {
  return Retrykit("\"idempotencyKey\":{\"header\":\"" + name + "\"}");
}

#define BREAKER "field:methodConfig[0].retrykit.circuitBreaker."
#define HEADER "field:methodConfig[0].retrykit.idempotencyKey.header error:"
#define NO_HEADER HEADER "is not a header name (a-z, 0-9, \"-\", \"_\", \".\")"
#define HEDGING "field:methodConfig[0].retrykit.hedging"

const Row kRefused[] = {
    {"NoName", R"({"methodConfig":[{"timeout":"1s"}]})",
     "field:methodConfig[0].name error:must be non-empty"},
    {"MethodAlone",
     R"({"methodConfig":[{"name":[{"service":"","method":"M"}]}]})",
     "field:methodConfig[0].name[0] error:method name populated without "
     "service name"},
    {"BothPolicies",
     OneMethod(
         absl::StrCat(kRetryPolicy, R"(,"hedgingPolicy":{"maxAttempts":2})")),
     "field:methodConfig[0].hedgingPolicy error:not together with "
     "retryPolicy"},
    {"BothSpellings", OneMethod(R"("retryPolicy":{"maxAttempts":3,
        "initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":2,
        "retryableStatusCodes":[14],"perAttemptRecvTimeout":"1s"},
        "retrykit":{"perAttemptTimeout":"1s"})"),
     "field:methodConfig[0].retrykit.perAttemptTimeout error:not together with "
     "retryPolicy.perAttemptRecvTimeout"},
    {"OkIsNoFailure", OneMethod(R"("hedgingPolicy":{"maxAttempts":2,
        "nonFatalStatusCodes":[0,"UNAVAILABLE","ok"]})"),
     "field:methodConfig[0].hedgingPolicy.nonFatalStatusCodes[0] error:must "
     "not be OK; "
     "field:methodConfig[0].hedgingPolicy.nonFatalStatusCodes[2] error:must "
     "not be OK"},
    {"HedgingAttempts", OneMethod(R"("hedgingPolicy":{"maxAttempts":1})"),
     "field:methodConfig[0].hedgingPolicy.maxAttempts error:must be at least "
     "2"},
    {"HedgingWithoutAttempts", OneMethod(R"("hedgingPolicy":{})"),
     "field:methodConfig[0].hedgingPolicy.maxAttempts error:field not "
     "present"},
    {"HedgingOptionsAlone", Retrykit("\"hedging\":{\"maxExtraLoad\":1}"),
     HEDGING " error:needs hedgingPolicy"},
    {"PercentileWithoutDelay", OneMethod(R"("hedgingPolicy":{"maxAttempts":2},
        "retrykit":{"hedging":{"delayPercentile":95}})"),
     HEDGING
     ".delayPercentile error:needs hedgingPolicy.hedgingDelay, which holds "
     "below 100 samples"},
    {"HedgingRanges", OneMethod(R"("hedgingPolicy":{"maxAttempts":2,
        "hedgingDelay":"0s"},"retrykit":{"hedging":{"delayPercentile":100,
        "minDelay":"0s","maxExtraLoad":0}})"),
     HEDGING ".delayPercentile error:must be at most 99; " HEDGING
             ".maxExtraLoad error:must be greater than 0; " HEDGING
             ".minDelay error:must be greater than 0"},
    {"ZeroPerAttemptTimeout", Retrykit("\"perAttemptTimeout\":\"0s\""),
     "field:methodConfig[0].retrykit.perAttemptTimeout error:must be greater "
     "than 0"},
    {"BothWindows", Breaker(R"("window":"10s","windowCalls":50)"),
     BREAKER "windowCalls error:not together with window"},
    {"SlowWithoutRate", Breaker(R"("slowCallDuration":"1s")"),
     BREAKER "slowCallRateThreshold error:field not present"},
    {"SlowWithoutDuration", Breaker(R"("slowCallRateThreshold":0.5)"),
     BREAKER "slowCallDuration error:field not present"},
    {"Shares", Breaker(R"("failureRateThreshold":0,"slowCallDuration":"1s",
        "slowCallRateThreshold":1.01)"),
     BREAKER "failureRateThreshold error:must be greater than 0; " BREAKER
             "slowCallRateThreshold error:must be at most 1"},
    {"Counts", Breaker(R"("minimumCalls":0,"windowCalls":1000001,
        "consecutiveFailures":0,"halfOpenProbes":0,"halfOpenSuccesses":-1)"),
     BREAKER "consecutiveFailures error:must be at least 1; " BREAKER
             "halfOpenProbes error:must be at least 1; " BREAKER
             "halfOpenSuccesses error:must be at least 1; " BREAKER
             "minimumCalls error:must be at least 1; " BREAKER
             "windowCalls error:must be at most 1000000"},
    {"OpenDurations", Breaker(R"("openDuration":"5s","maxOpenDuration":"4.9s",
        "openMultiplier":0.5)"),
     BREAKER
     "maxOpenDuration error:must be at least openDuration (5s); " BREAKER
     "openMultiplier error:must be at least 1"},
    {"ZeroDurations", Breaker(R"("window":"0s","openDuration":"0s",
        "maxOpenDuration":"0s")"),
     BREAKER "maxOpenDuration error:must be greater than 0; " BREAKER
             "openDuration error:must be greater than 0; " BREAKER
             "window error:must be greater than 0"},
    {"NotFinite", Breaker(R"("openMultiplier":"inf",
        "failureRateThreshold":"nan")"),
     BREAKER "failureRateThreshold error:must be finite; " BREAKER
             "openMultiplier error:must be finite"},
    {"NoHeader", Retrykit("\"idempotencyKey\":{}"), HEADER "field not present"},
    {"EmptyHeader", Header(""), HEADER "must be non-empty"},
    {"CapitalsInHeader", Header("Idempotency-Key"),
     NO_HEADER ", did you mean \"idempotency-key\"?"},
    {"BlankInHeader", Header("my key"), NO_HEADER},
    {"PseudoHeader", Header(":path"), NO_HEADER},
    {"HeaderOfGrpc", Header("grpc-key"), HEADER "is reserved"},
    {"HeaderOfRetrykit", Header("x-retrykit-key"), HEADER "is reserved"},
    {"HeaderOfHttp", Header("te"), HEADER "is reserved"},
    {"IndexesKeepTheirPlace", R"({"methodConfig":[5,{"name":[{}],
        "timeout":"x"}]})",
     "field:methodConfig[0] error:is not an object; "
     "field:methodConfig[1].timeout error:Not a duration (no s suffix)"},
    {"ControlCharactersInKeys", OneMethod("\"a\\u0001\\nb\":1"),
     "field:methodConfig[0].a??b error:unknown field"},
};

INSTANTIATE_TEST_SUITE_P(Config, Refused, testing::ValuesIn(kRefused),
                         [](const auto& row) { return row.param.name; });

TEST(Errors, AreSortedByPathAndIndex) {
  std::string entries;
  for (int i = 0; i < 12; ++i) entries += (i == 0 ? "5" : ",5");
  const std::string error = ErrorOf("{\"methodConfig\":[" + entries + "]}");
  EXPECT_LT(error.find("methodConfig[2]"), error.find("methodConfig[10]"));
}

TEST(Errors, BeyondAThousandAreCounted) {
  std::string entries = "5";
  for (int i = 1; i < 1500; ++i) entries += ",5";
  const std::string error = ErrorOf("{\"methodConfig\":[" + entries + "]}");
  EXPECT_EQ(error.substr(error.size() - 15), "; and 500 more]");
}

TEST(Errors, SeveralAtOnePathShareIt) {
  EXPECT_EQ(ErrorOf(OneMethod(R"("hedgingPolicy":{"maxAttempts":2},
                "retryPolicy":{"maxAttempts":2},
                "retrykit":{"hedging":5})")),
            Errors("field:methodConfig[0].hedgingPolicy error:not together "
                   "with retryPolicy; "
                   "field:methodConfig[0].retryPolicy.backoffMultiplier "
                   "error:field not present; "
                   "field:methodConfig[0].retryPolicy.initialBackoff "
                   "error:field not present; "
                   "field:methodConfig[0].retryPolicy.maxBackoff error:field "
                   "not present; "
                   "field:methodConfig[0].retryPolicy.retryableStatusCodes "
                   "error:must be non-empty; "
                   "field:methodConfig[0].retrykit.hedging error:is not an "
                   "object"));
}

}  // namespace
}  // namespace retrykit
