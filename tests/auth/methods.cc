#include "tests/auth/methods.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.pb.h>

#include <fstream>
#include <stdexcept>

namespace regressd::test {

std::vector<Method> AllMethods() {
  std::ifstream file(REGRESSD_DESCRIPTOR_SET, std::ios::binary);
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromIstream(&file)) {
    throw std::runtime_error("cannot read " REGRESSD_DESCRIPTOR_SET);
  }
  std::vector<Method> methods;
  for (const auto& proto : set.file()) {
    for (const auto& service : proto.service()) {
      for (const auto& method : service.method()) {
        methods.push_back(
            {.name = fmt::format("/{}.{}/{}", proto.package(), service.name(), method.name()),
             .client_streaming = method.client_streaming()});
      }
    }
  }
  return methods;
}

}  // namespace regressd::test
