#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "storage/listed.h"

namespace regressd::test {

/// What stands in a list of which everything must be readable.
template <typename Noun, typename Position>
std::vector<Noun> NounsOf(absl::StatusOr<std::vector<storage::Listed<Noun, Position>>> list) {
  EXPECT_TRUE(list.ok()) << list.status();
  std::vector<Noun> nouns;
  if (!list.ok()) return nouns;
  for (storage::Listed<Noun, Position>& entry : *list) {
    EXPECT_TRUE(entry.noun.ok()) << entry.name << ": " << entry.noun.status();
    if (entry.noun.ok()) nouns.push_back(*std::move(entry.noun));
  }
  return nouns;
}

}  // namespace regressd::test
