#include "interceptors/retrykit.h"

#include <grpcpp/create_channel.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "interceptors/adapter/call_interceptor.h"
#include "interceptors/adapter/channel_arguments.h"
#include "interceptors/adapter/toolkit_core.h"
#include "interceptors/config/config.h"

namespace retrykit {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file &&
      (text << file.rdbuf() ||
       file.peek() == std::ifstream::traits_type::eof()) &&
      !file.bad()) {
    return text.str();
  }
  return absl::ErrnoToStatus(errno != 0 ? errno : EIO,
                             absl::StrCat("cannot read ", path));
}

absl::Status CheckOptions(const Options& options) {
  if (options.max_attempts_limit < 1) {
    return absl::InvalidArgumentError(
        "Options::max_attempts_limit must be at least 1");
  }
  if (options.threads < 1 || options.threads > 64) {
    return absl::InvalidArgumentError(
        "Options::threads must be between 1 and 64");
  }
  if (options.max_server_delay < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        "Options::max_server_delay must not be negative");
  }
  for (const auto& observer : options.observers) {
    if (observer == nullptr)
      return absl::InvalidArgumentError("Options::observers holds a null");
  }
  for (const auto& codec : options.method_codecs) {
    if (codec.second != nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Options::method_codecs holds a null for ", codec.first));
  }
  return absl::OkStatus();
}

absl::Status MovedFrom() {
  return absl::InvalidArgumentError("the ServiceConfig was moved from");
}

void Log(const Options& options, absl::string_view line) {
  if (options.log != nullptr) return options.log(line);
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

void LogWarnings(const ParsedConfig& config, const Options& options) {
  for (const std::string& warning :
       WarningsFor(config, options.max_attempts_limit)) {
    Log(options, absl::StrCat("retrykit: warning: service config: ", warning));
  }
}

}  // namespace

ServiceConfig::ServiceConfig(std::shared_ptr<const ParsedConfig> parsed)
    : parsed_(std::move(parsed)) {}

absl::StatusOr<ServiceConfig> ServiceConfig::FromJson(absl::string_view json) {
  absl::StatusOr<ParsedConfig> parsed = ParseConfig(json);
  if (!parsed.ok()) return parsed.status();
  return ServiceConfig(
      std::make_shared<const ParsedConfig>(*std::move(parsed)));
}

absl::StatusOr<ServiceConfig> ServiceConfig::FromFile(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<ServiceConfig> config = FromJson(*text);
  if (config.ok()) return config;
  return absl::Status(config.status().code(),
                      absl::StrCat(path, ": ", config.status().message()));
}

const std::vector<std::string>& ServiceConfig::warnings() const {
  return parsed_->warnings;
}

Toolkit::Toolkit(std::shared_ptr<ToolkitCore> core) : core_(std::move(core)) {}

Toolkit::~Toolkit() = default;

absl::StatusOr<std::shared_ptr<Toolkit>> Toolkit::Create(ServiceConfig config,
                                                         Options options) {
  if (config.parsed_ == nullptr) return MovedFrom();
  absl::Status status = CheckOptions(options);
  if (status.ok()) status = ValidateCorePart(*config.parsed_);
  if (!status.ok()) return status;
  LogWarnings(*config.parsed_, options);
  return std::shared_ptr<Toolkit>(new Toolkit(std::make_shared<ToolkitCore>(
      std::move(config.parsed_), std::move(options))));
}

absl::StatusOr<std::shared_ptr<Toolkit>> Toolkit::FromFile(
    const std::string& path, Options options) {
  absl::StatusOr<ServiceConfig> config = ServiceConfig::FromFile(path);
  if (!config.ok()) return config.status();
  return Create(*std::move(config), std::move(options));
}

absl::StatusOr<Toolkit::ChannelParts> Toolkit::Prepare(
    const std::string& target, grpc::ChannelArguments arguments) {
  return PrepareFor(target, std::move(arguments), /*only_interceptor=*/false);
}

absl::StatusOr<Toolkit::ChannelParts> Toolkit::PrepareFor(
    const std::string& target, grpc::ChannelArguments arguments,
    bool only_interceptor) {
  const absl::Status status = CheckChannelArguments(arguments);
  if (!status.ok()) return status;
  AddChannelArguments(*core_->config(), arguments);
  if (IsXdsTarget(target)) {
    const bool off = DisableCoreRetries(arguments);
    Log(core_->options(),
        absl::StrCat("retrykit: warning: ", target,
                     off ? ": retries that the xDS server configures are "
                           "turned off"
                         : ": retries that the xDS server configures come on "
                           "top of retrykit's, since the channel arguments "
                           "say so"));
  }
  ChannelParts parts;
  parts.arguments = std::move(arguments);
  parts.factories.push_back(
      MakeInterceptorFactory(core_->AddChannel(target, only_interceptor)));
  return parts;
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> Toolkit::CreateChannel(
    const std::string& target,
    const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const grpc::ChannelArguments& arguments,
    FactoryList per_attempt_interceptors) {
  if (credentials == nullptr)
    return absl::InvalidArgumentError("the credentials are null");
  absl::StatusOr<ChannelParts> parts = PrepareFor(
      target, arguments, /*only_interceptor=*/per_attempt_interceptors.empty());
  if (!parts.ok()) return parts.status();
  for (auto& factory : per_attempt_interceptors)
    parts->factories.push_back(std::move(factory));
  return grpc::experimental::CreateCustomChannelWithInterceptors(
      target, credentials, parts->arguments, std::move(parts->factories));
}

absl::Status Toolkit::Reload(ServiceConfig config) {
  if (config.parsed_ == nullptr) return MovedFrom();
  const absl::Status status = ValidateCorePart(*config.parsed_);
  CallEvent event;
  event.type = CallEvent::Type::kConfigReloaded;
  event.code = status.code();
  const std::string message(status.message());
  event.message = message;
  if (status.ok()) {
    LogWarnings(*config.parsed_, core_->options());
    const auto differences = core_->DifferencesFromChannels(*config.parsed_);
    if (!differences.empty()) {
      Log(core_->options(), absl::StrCat("retrykit: warning: channels keep "
                                         "these parts from their creation: ",
                                         absl::StrJoin(differences, ", ")));
    }
    core_->Reload(std::move(config.parsed_));
  }
  core_->Tell(event);
  return status;
}

}  // namespace retrykit
