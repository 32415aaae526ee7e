#include "tests/support/temporary_directory.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

namespace regressd::testing {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "regressd-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr || chmod(name.c_str(), 0711) != 0) {
    std::perror("cannot make a temporary directory");
    std::abort();
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

}  // namespace regressd::testing
