#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "regressd/v1/model.pb.h"
#include "services/query/paging.h"
#include "storage/listed.h"

namespace regressd::query {

/// Puts a page of a list into an answer: what can be read into `items` by encode(noun, message),
/// the rest into `unreadable`. One entry more than the page was read, to know whether there is a
/// next one. Returns the index of the last entry on the page when the list goes on after it.
template <typename Noun, typename Position, typename Message, typename Encode>
std::optional<std::size_t> FillList(
    const Page& page, const std::vector<storage::Listed<Noun, Position>>& list, Encode&& encode,
    google::protobuf::RepeatedPtrField<Message>* items,
    google::protobuf::RepeatedPtrField<v1::Unreadable>* unreadable) {
  AnswerBudget budget(kMaxAnswerBytes);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Message encoded;
    v1::Unreadable bad;
    if (list[i].noun.ok()) {
      encode(*list[i].noun, &encoded);
    } else {
      bad.set_name(list[i].name);
      bad.set_reason(std::string(list[i].noun.status().message()));
    }
    if (i == static_cast<std::size_t>(page.size) ||
        !budget.Take(encoded.ByteSizeLong() + bad.ByteSizeLong())) {
      return i - 1;
    }
    if (list[i].noun.ok()) {
      *items->Add() = std::move(encoded);
    } else {
      *unreadable->Add() = std::move(bad);
    }
  }
  return std::nullopt;
}

}  // namespace regressd::query
