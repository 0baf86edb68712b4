#include "interceptors/adapter/server_call.h"

#include <grpc/support/time.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "interceptors/adapter/attempt_context.h"
#include "interceptors/adapter/client_context_access.h"

namespace retrykit {
namespace {

// What the layers above have made; 0 where nothing says so.
int InboundAttempts(const grpc::ServerContextBase& server) {
  const auto& metadata = server.client_metadata();
  for (const char* key : {kPreviousAttemptsKey, kGrpcPreviousAttemptsKey}) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) continue;
    const int attempts = PreviousAttempts(
        absl::string_view(found->second.data(), found->second.size()));
    if (attempts > 0) return attempts;
  }
  return 0;
}

bool Earlier(gpr_timespec a, gpr_timespec b) {
  return gpr_time_cmp(gpr_convert_clock_type(a, GPR_CLOCK_MONOTONIC),
                      gpr_convert_clock_type(b, GPR_CLOCK_MONOTONIC)) < 0;
}

}  // namespace

void ContinueFrom(const grpc::ServerContextBase& server,
                  grpc::ClientContext* context) {
  if (Earlier(server.raw_deadline(), context->raw_deadline())) {
    context->set_deadline(server.raw_deadline());
  }
  SetParent(server, *context);
  const int attempts = InboundAttempts(server);
  if (attempts == 0) return;
  ReplaceMetadata(*context, kPreviousAttemptsKey, absl::StrCat(attempts));
}

void StopUpstreamRetries(grpc::ServerContextBase* server) {
  server->AddTrailingMetadata("grpc-retry-pushback-ms", "-1");
}

}  // namespace retrykit
