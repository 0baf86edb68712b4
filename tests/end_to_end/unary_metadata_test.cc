// What travels beside the messages: metadata, details, credentials, and the
// other settings of a context.
#include <gmock/gmock.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/client_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interceptors/core/mutex.h"
#include "tests/support/end_to_end_test.h"
#include "tests/support/interceptors.h"
#include "tests/support/metadata.h"

namespace retrykit {
namespace {

using grpc::StatusCode;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

AttemptScript Aborted() {
  return AttemptScript::Fail(StatusCode::ABORTED, "no");
}

class UnaryMetadataTest : public UnaryEndToEndTest {
 protected:
  std::vector<SeenAttempt> Seen(const std::string& id = kCall) {
    return server().log().Attempts(id);
  }
};

TEST_P(UnaryMetadataTest, A19_ApplicationMetadataOnEveryAttempt) {
  Use(TestPolicy());
  server().Script(kCall, {Aborted(), Aborted(), AttemptScript::Ok()});
  const auto prepare = [](grpc::ClientContext& context) {
    context.AddMetadata("text", "one");
    context.AddMetadata("text", "two");
    context.AddMetadata("bytes-bin", std::string("\0\x01\xff", 3));
    context.AddMetadata("empty", "");
  };
  Expect(Call(kCall, prepare),
         {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, -1});
  PlainCall("plain", prepare);
  Metadata plain = Seen("plain").at(0).metadata;
  plain.erase(kCallIdHeader);
  for (const SeenAttempt& seen : Seen()) {
    SCOPED_TRACE(seen.number);
    Metadata metadata = seen.metadata;
    metadata.erase(kCallIdHeader);
    metadata.erase("x-retrykit-previous-attempts");
    metadata.erase("grpc-previous-rpc-attempts");
    EXPECT_EQ(metadata, plain);
  }
}

// Where the application waits for headers alone and gets them, it has got
// something of the attempt; elsewhere it has not.
TEST_P(UnaryMetadataTest, A20_InitialMetadataThenAborted) {
  Use(TestPolicy());
  server().Script(kCall,
                  {Aborted()
                       .WithHeadersFirst()
                       .WithInitialMetadata("attempt", "1")
                       .AfterGate("go"),
                   AttemptScript::Ok().WithInitialMetadata("attempt", "2")});
  auto call = NewCall();
  call->Start();
  const bool handed_out = style() == CallStyle::kCqReadMetadata;
  ASSERT_TRUE(handed_out ? call->WaitForHeaders()
                         : server().log().WaitForAttempts(kCall, 1));
  server().OpenGate("go");
  const EchoResult result = call->Wait();
  if (handed_out) {
    EXPECT_EQ(ValueOf(result.initial_metadata, "attempt"), "1");
    EXPECT_TRUE(result.headers_ok);
    Expect(result, {StatusCode::ABORTED, "no", {"-"}, Reason::kCommitted, -1});
  } else {
    EXPECT_EQ(ValueOf(result.initial_metadata, "attempt"), "2");
    Expect(result, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0});
  }
  EXPECT_EQ(observer().Count(CallEvent::Type::kCallCommitted),
            handed_out ? 1 : 0);
}

TEST_P(UnaryMetadataTest, A21_MetadataAndDetailsOfTheLastAttempt) {
  Use(TestPolicy());
  const auto first =
      AttemptScript::Fail(StatusCode::ABORTED, "no", "details of the first")
          .WithTrailingMetadata("a", "1");
  server().Script(
      "fails", {first, AttemptScript::Fail(StatusCode::INVALID_ARGUMENT, "bad",
                                           "details of the last")
                           .WithTrailingMetadata("b", "2")});
  server().Script("succeeds",
                  {first, AttemptScript::Ok().WithTrailingMetadata("b", "2")});

  const EchoResult failed = Call("fails");
  EXPECT_EQ(failed.status.error_details(), "details of the last");
  EXPECT_EQ(ValueOf(failed.trailing_metadata, "a"), "-");
  EXPECT_EQ(ValueOf(failed.trailing_metadata, "b"), "2");
  Expect(failed,
         {StatusCode::INVALID_ARGUMENT,
          "bad",
          {"-", "1"},
          Reason::kNotRetryable,
          -1},
         "fails");

  const EchoResult succeeded = Call("succeeds");
  EXPECT_THAT(succeeded.trailing_metadata, ElementsAre(Pair("b", "2")));
  Expect(succeeded, {StatusCode::OK, "", {"-", "1"}, Reason::kSuccess, 0},
         "succeeds");
}

// What is said about the last attempt keeps its details.
TEST_P(UnaryMetadataTest, A21_DetailsUnderAnAnnotatedText) {
  Use(TestPolicy());
  server().Script(kCall,
                  {AttemptScript::Fail(StatusCode::ABORTED, "no", "details")
                       .WithTrailingMetadata("a", "1")});
  const EchoResult result = Call();
  EXPECT_EQ(result.status.error_details(), "details");
  EXPECT_EQ(ValueOf(result.trailing_metadata, "a"), "1");
  Expect(result, {StatusCode::ABORTED,
                  "no" + Why(Reason::kMaxAttempts, 3),
                  {"-", "1", "2"},
                  Reason::kMaxAttempts,
                  -3});
}

class Token : public grpc::MetadataCredentialsPlugin {
 public:
  grpc::Status GetMetadata(
      grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
      std::multimap<std::string, std::string>* metadata) override {
    metadata->emplace("authorization", "Bearer token");
    return grpc::Status();
  }
};

TEST_P(UnaryMetadataTest, A38_CallCredentialsOnEveryAttempt) {
  ScriptedServer::Options options;
  options.credentials = grpc::experimental::LocalServerCredentials(LOCAL_TCP);
  UseServer(options);
  ChannelSetup setup;
  setup.credentials = grpc::experimental::LocalCredentials(LOCAL_TCP);
  Use(TestPolicy(), Options(), std::move(setup));
  server().Script(kCall, {Aborted(), Aborted(), AttemptScript::Ok()});
  const EchoResult result = Call(kCall, [](grpc::ClientContext& context) {
    context.set_credentials(grpc::experimental::MetadataCredentialsFromPlugin(
        std::make_unique<Token>(), GRPC_SECURITY_NONE));
  });
  Expect(result, {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, -1});
  for (const SeenAttempt& seen : Seen()) {
    EXPECT_EQ(ValueOf(seen.metadata, "authorization"), "Bearer token");
  }
}

TEST_P(UnaryMetadataTest, A38_AuthorityCompressionAndCensusOnEveryAttempt) {
  ScriptedServer::Options options;
  options.keep_compressed = true;
  UseServer(options);
  CensusContexts census;
  ChannelSetup setup;
  setup.interceptors.push_back(census.Factory());
  Use(TestPolicy(), Options(), std::move(setup));
  server().Script(kCall, {Aborted(), Aborted(), AttemptScript::Ok("done")});
  alignas(16) static char mark[1024] = {};  // Nobody looks inside.
  auto* const context_of_census = reinterpret_cast<census_context*>(mark);
  testing::EchoRequest request = RequestFor(kCall, std::string(1000, 'a'));
  Expect(CallEcho(style(), channel(), request,
                  [&](grpc::ClientContext& context) {
                    context.AddMetadata(kCallIdHeader, kCall);
                    context.set_authority("other.example");
                    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
                    context.set_census_context(context_of_census);
                  }),
         {StatusCode::OK, "", {"-", "1", "2"}, Reason::kSuccess, -1});
  for (const SeenAttempt& seen : Seen()) {
    EXPECT_EQ(seen.authority, "other.example");
    ASSERT_THAT(seen.requests, SizeIs(1));
    // gzip's own first bytes.
    EXPECT_EQ(seen.requests[0].substr(0, 2), "\x1f\x8b");
  }
  EXPECT_THAT(census.seen(), Each(static_cast<const void*>(mark)));
  EXPECT_GE(census.seen().size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(, UnaryMetadataTest,
                         ::testing::ValuesIn(kAllCallStyles),
                         CallStyleTestName);

}  // namespace
}  // namespace retrykit
