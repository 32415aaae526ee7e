#include "services/auth/grpc_credentials.h"

#include <strings.h>

#include <string>

namespace regressd::auth {
namespace {

constexpr std::string_view kScheme = "Bearer ";

}  // namespace

Credentials CredentialsOf(const grpc::ServerContextBase& context) {
  Credentials credentials{.bearer_token = {}, .peer = context.peer()};
  const auto header = context.client_metadata().find("authorization");
  if (header == context.client_metadata().end()) return credentials;
  const std::string_view value(header->second.data(), header->second.size());
  // RFC 7235 2.1: the scheme's case does not matter.
  if (value.size() > kScheme.size() &&
      strncasecmp(value.data(), kScheme.data(), kScheme.size()) == 0) {
    credentials.bearer_token = std::string(value.substr(kScheme.size()));
  }
  return credentials;
}

}  // namespace regressd::auth
