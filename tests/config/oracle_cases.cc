#include "tests/config/oracle_cases.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace retrykit {
namespace {

using D = Difference;

struct Value {
  const char* json;  // Null: the field is absent.
  Difference difference = D::kNone;
};
using Values = std::vector<Value>;
using Fields = std::map<std::string, std::string>;

const Values kOfWrongType = {{"true"}, {"[]"}, {"{}"}, {"[1]"}, {"{\"a\":1}"}};

const Values kDurations = {
    {R"("1s")"},
    {R"("0.1s")"},
    {R"("0.001s")"},
    {R"("01s")"},
    {R"("1.500000000s")"},
    {R"("315576000000s")"},
    {R"("315576000001s")"},
    {R"("9223372036854775808s")"},
    {R"("0.1234567890s")"},
    {R"("0.9999999999s")"},
    {R"("1.s")"},
    {R"(".5s")"},
    {R"("s")"},
    {R"("")"},
    {R"("as")"},
    {R"("1.as")"},
    {R"("1")"},
    {R"("100ms")"},
    {R"("1m30s")"},
    {R"("-1s")"},
    {R"("-0.5s")", D::kSignOrBlank},
    {R"("-0s")", D::kSignOrBlank},
    {R"("+1s")", D::kSignOrBlank},
    {R"("1.+5s")", D::kSignOrBlank},
    {R"("1 s")", D::kSignOrBlank},
    {R"(" 1s")", D::kSignOrBlank},
    {R"("1s ")"},
    {"1"},
    {"1.5"},
};

const Values kIntegers = {
    {"2"},      {"3"},           {"5"},       {"\"3\""}, {"\" 3 \""},
    {"\"+3\""}, {"1.5"},         {"2.0"},     {"1e1"},   {"\"x\""},
    {"\"\""},   {"99999999999"}, {"\"1 2\""},
};

const Values kMaxAttempts = {{nullptr},     {"null", D::kNullWording},
                             {"0"},         {"1"},
                             {"-1"},        {"-0"},
                             {"6"},         {"2147483647"},
                             {"2147483648"}};

const Values kMultipliers = {
    {nullptr},
    {"null", D::kNullWording},
    {"1.6"},
    {"1"},
    {"0.5"},
    {"0"},
    {"-1"},
    {"1e2"},
    {"\"2\""},
    {"\" 2.5 \""},
    {"\"x\""},
    {"\"\""},
    {"\"inf\"", D::kNotFinite},
    {"\"nan\"", D::kNotFinite},
    {"\"1e400\"", D::kNotFinite},
    {"1e400", D::kNotFinite},
};

const Values kCodes = {
    {nullptr},
    {"null", D::kNullWording},
    {"[]"},
    {R"(["UNAVAILABLE"])"},
    {R"(["UNAVAILABLE","UNAVAILABLE"])"},
    {R"(["CANCELLED","UNKNOWN","INVALID_ARGUMENT","DEADLINE_EXCEEDED"])"},
    {R"(["NOT_FOUND","ALREADY_EXISTS","PERMISSION_DENIED","ABORTED"])"},
    {R"(["RESOURCE_EXHAUSTED","FAILED_PRECONDITION","OUT_OF_RANGE"])"},
    {R"(["UNIMPLEMENTED","INTERNAL","DATA_LOSS","UNAUTHENTICATED"])"},
    {R"(["FOO"])"},
    {R"(["UNAVAILABLE","FOO"])"},
    {R"([""])"},
    {R"(["CANCELED"])"},
    {R"(["DeadlineExceeded"])"},
    {R"("UNAVAILABLE")"},
    {"{}"},
    {"14"},
    {"[null]"},
    {"[true]"},
    {"[[]]"},
    {R"(["unavailable"])", D::kStatusCode},
    {"[14]", D::kStatusCode},
    {R"(["14"])", D::kStatusCode},
    {"[17]", D::kCodeWording},
    {R"(["OK"])", D::kOkCode},
    {R"(["OK","UNAVAILABLE"])", D::kOkCode},
};

const Values kMaxTokens = {
    {nullptr},
    {"null", D::kNullWording},
    {"0"},
    {"1"},
    {"1000"},
    {"-1"},
    {"1001", D::kMaxTokens},
    {"\"2000\"", D::kMaxTokens},
    {"4294967295", D::kMaxTokens},
    {"4294967296"},
};

const Values kTokenRatios = {
    {nullptr},
    {"null", D::kNullWording},
    {"0.1"},
    {"0.001"},
    {"0.0009"},
    {"0.12345"},
    {"1"},
    {"10.5"},
    {"0"},
    {"0.0"},
    {"-0.1"},
    {"-1"},
    {"\"0.1\""},
    {"\" 0.5\""},
    {"\"+0.5\""},
    {"\"abc\""},
    {"\".5\""},
    {"\"1.\""},
    {"\"1.x\""},
    {"\"\""},
    {"\"1,5\""},
    {"4294967296"},
    {"4294967296.5"},
    {"1e-1", D::kExponent},
    {"1.5e0", D::kExponent},
};

const Values kBooleans = {{nullptr}, {"null", D::kNull}, {"true"},
                          {"false"}, {"\"true\""},       {"0"},
                          {"1"}};

const Values kSizes = {{nullptr},      {"null", D::kNull}, {"0"},  {"1024"},
                       {"4294967295"}, {"4294967296"},     {"-1"}, {"\"77\""},
                       {"\"-1\""},     {"\"abc\""},        {"1.5"}};

const Values kNames = {
    {"[{}]"},
    {R"([{"service":""}])"},
    {R"([{"service":"","method":""}])"},
    {R"([{"service":"S"}])"},
    {R"([{"service":"S","method":""}])"},
    {R"([{"service":"S","method":"M"}])"},
    {R"([{"service":"S","method":null}])", D::kNull},
    {R"([{"service":null}])", D::kNull},
    {R"([{"service":"S","method":"M"},{"service":"S","method":"N"}])"},
    {R"([{"service":"S"},{"service":"S"}])"},
    {R"([{"service":"S","method":"M"},{"service":"S","method":"M"}])"},
    {"[{},{}]"},
    {R"([{},{"service":""}])"},
    {R"([{"method":"M"}])"},
    {R"([{"method":""}])"},
    {R"([{"service":5}])"},
    {R"([{"service":"S","method":5}])"},
    {R"([{"service":["S"]}])"},
    {"[5]"},
    {"[null]"},
    {R"(["S"])"},
    {"{}"},
    {"\"S\""},
    {"5"},
    {"[]", D::kNoName},
    {nullptr, D::kNoName},
    {"null", D::kNullWording},
    {R"([{"service":"","method":"M"}])", D::kMethodAlone},
    {R"([{"service":"*"}])", D::kWildcard},
    {R"([{"service":"S","verb":"GET"}])", D::kUnknownKey},
};

Values operator+(const Values& a, const Values& b) {
  Values all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

std::string ToJson(const Fields& fields) {
  std::vector<std::string> members;
  for (const auto& field : fields) {
    members.push_back(absl::StrCat("\"", field.first, "\":", field.second));
  }
  return absl::StrCat("{", absl::StrJoin(members, ","), "}");
}

// `object` with `key` set to `value` or left out.
std::string With(Fields object, const std::string& key, const Value& value) {
  object.erase(key);
  if (value.json != nullptr) object[key] = value.json;
  return ToJson(object);
}

Fields Method() { return {{"name", R"([{"service":"S"}])"}}; }
Fields Retry() {
  return {{"maxAttempts", "3"},
          {"initialBackoff", "\"0.1s\""},
          {"maxBackoff", "\"1s\""},
          {"backoffMultiplier", "2"},
          {"retryableStatusCodes", "[\"UNAVAILABLE\"]"}};
}
Fields Throttling() { return {{"maxTokens", "10"}, {"tokenRatio", "0.1"}}; }

std::string InFile(const std::string& method) {
  return absl::StrCat("{\"methodConfig\":[", method, "]}");
}

class CaseList {
 public:
  void Add(absl::string_view group, const std::string& json,
           Difference difference) {
    cases_.push_back(
        {absl::StrCat(group, " #", cases_.size()), json, difference});
  }
  void RetryField(const std::string& key, const Values& values) {
    for (const Value& value : values) {
      const std::string retry = With(Retry(), key, value);
      Add(absl::StrCat("retryPolicy.", key),
          InFile(With(Method(), "retryPolicy", {retry.c_str()})),
          value.difference);
    }
  }
  void ThrottlingField(const std::string& key, const Values& values) {
    for (const Value& value : values) {
      Add(absl::StrCat("retryThrottling.", key),
          absl::StrCat("{\"retryThrottling\":", With(Throttling(), key, value),
                       "}"),
          value.difference);
    }
  }
  void MethodField(const std::string& key, const Values& values) {
    for (const Value& value : values) {
      Add(absl::StrCat("methodConfig.", key),
          InFile(With(Method(), key, value)), value.difference);
    }
  }
  void Files(const char* group, const Values& values) {
    for (const Value& value : values) Add(group, value.json, value.difference);
  }
  std::vector<OracleCase> Take() { return std::move(cases_); }

 private:
  std::vector<OracleCase> cases_;
};

const Values kTopLevel = {
    {"{}"},
    {"[]"},
    {"5"},
    {"\"x\""},
    {"true"},
    {R"({"methodConfig":[]})"},
    {R"({"methodConfig":{}})"},
    {R"({"methodConfig":5})"},
    {R"({"methodConfig":"x"})"},
    {R"({"methodConfig":[5]})"},
    {R"({"methodConfig":[null]})"},
    {R"({"methodConfig":null})", D::kNull},
    {R"({"retryThrottling":null})", D::kNull},
    {R"({"retryThrottling":5})"},
    {R"({"retryThrottling":[]})"},
    {R"({"retryThrottling":{}})"},
    {R"({"methodConfig":[{"name":[{"service":"S"}]},{"name":[{"service":"S"}]}]})"},
    {R"({"methodConfig":[{"name":[{}]},{"name":[{}]}]})"},
    {R"({"methodConfig":[{"name":[{"service":"S"}],"retryPolicy":5}]})"},
    {R"({"methodConfig":[{"name":[{"service":"S"}],"retryPolicy":[]}]})"},
    {R"({"methodConfig":[{"name":[{"service":"S"}],"retryPolicy":{}}]})"},
    {R"({"methodConfig":[{"name":[{"service":"S"}],"retryPolicy":null}]})",
     D::kNull},
    {R"({"loadBalancingConfig":[{"round_robin":{}}]})"},
    {R"({"loadBalancingPolicy":"round_robin"})"},
    {R"({"healthCheckConfig":{"serviceName":"x"}})"},
    {R"({"somethingNewOfGrpc":{"a":[1,2]}})"},
    {R"({"methodConfg":[]})", D::kUnknownKey},
    {R"({"retryPolicy":{}})", D::kUnknownKey},
    {R"({"methodConfig":[{"name":[{}],"retryPolcy":{}}]})", D::kUnknownKey},
    {R"({"retrykit":5})", D::kUnknownKey},
    {R"({"methodConfig":[{"name":[{}],"hedgingPolicy":5}]})",
     D::kHedgingIsRead},
    {R"({"methodConfig":[{"name":[{}],"hedgingPolicy":{"maxAttempts":1}}]})",
     D::kHedgingIsRead},
};

const Values kSyntax = {
    {"", D::kSyntaxWording},
    {"{", D::kSyntaxWording},
    {"{\"a\":1,}", D::kSyntaxWording},
    {"{\"a\":[1,]}", D::kSyntaxWording},
    {"{\"a\" 1}", D::kSyntaxWording},
    {"{a:1}", D::kSyntaxWording},
    {"{'a':1}", D::kSyntaxWording},
    {"{\"a\":1} x", D::kSyntaxWording},
    {"{\"a\":01}", D::kSyntaxWording},
    {"{\"a\":1.}", D::kSyntaxWording},
    {"{\"a\":+1}", D::kSyntaxWording},
    {"{\"a\":.5}", D::kSyntaxWording},
    {"{\"a\":NaN}", D::kSyntaxWording},
    {"{\"a\":Infinity}", D::kSyntaxWording},
    {"{\"a\":nul}", D::kSyntaxWording},
    {"{\"a\":1,\"a\":2}", D::kSyntaxWording},
    {"// a comment\n{}", D::kSyntaxWording},
    {"{} /* a comment */", D::kSyntaxWording},
    {"\xEF\xBB\xBF{}", D::kSyntaxWording},
    {"{\"a\":\"\\x\"}", D::kSyntaxWording},
    {"{\"a\":\"\\ud800\"}", D::kSyntaxWording},
    {"{\"a\":\"\xff\"}", D::kSyntaxWording},
    {"{\"a\":\"\n\"}", D::kSyntaxWording},
};

// Cases of more than one field.
void AddPolicies(CaseList& list) {
  Fields hedged = Method();
  hedged["hedgingPolicy"] = R"({"maxAttempts":2,"hedgingDelay":"1s"})";
  list.Add("hedgingPolicy", InFile(ToJson(hedged)), D::kNone);
  hedged["retryPolicy"] = ToJson(Retry());
  list.Add("both policies", InFile(ToJson(hedged)), D::kTwoPolicies);
  Fields retry = Retry();
  retry["perAttemptRecvTimeout"] = "\"1s\"";
  const std::string limited = ToJson(retry);
  list.Add("perAttemptRecvTimeout",
           InFile(With(Method(), "retryPolicy", {limited.c_str()})), D::kNone);
  const std::string alone = With(retry, "retryableStatusCodes", {"[]"});
  list.Add("perAttemptRecvTimeout",
           InFile(With(Method(), "retryPolicy", {alone.c_str()})),
           D::kPerAttemptAlone);
}

}  // namespace

std::vector<OracleCase> OracleCases() {
  const Values duration_base = kDurations + kOfWrongType;
  const Values backoffs =
      duration_base + Values{{nullptr},
                             {"null", D::kNullWording},
                             {R"("0s")"},
                             {R"("0.000s")"},
                             {R"("0.000000001s")", D::kNanoseconds}};
  CaseList list;
  list.RetryField("maxAttempts", kIntegers + kMaxAttempts + kOfWrongType);
  list.RetryField("initialBackoff", backoffs);
  list.RetryField("maxBackoff", backoffs);
  list.RetryField("backoffMultiplier", kMultipliers + kOfWrongType);
  list.RetryField("retryableStatusCodes", kCodes);
  list.ThrottlingField("maxTokens", kIntegers + kMaxTokens + kOfWrongType);
  list.ThrottlingField("tokenRatio", kTokenRatios + kOfWrongType);
  list.MethodField("name", kNames);
  list.MethodField("timeout",
                   duration_base + Values{{nullptr}, {"null", D::kNull}});
  list.MethodField("waitForReady", kBooleans + kOfWrongType);
  list.MethodField("maxRequestMessageBytes", kSizes + kOfWrongType);
  list.MethodField("maxResponseMessageBytes", kSizes + kOfWrongType);
  AddPolicies(list);
  list.Files("file", kTopLevel);
  list.Files("syntax", kSyntax);
  return list.Take();
}

}  // namespace retrykit
