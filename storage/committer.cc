#include "storage/committer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

namespace regressd::storage {
namespace {

constexpr std::size_t kWholeGroup = std::numeric_limits<std::size_t>::max();

absl::Status Stopping() {
  return absl::UnavailableError("the server stops before the store can be reached; resume later");
}

bool IsRefusal(const absl::Status& status) {
  return status.code() == absl::StatusCode::kInvalidArgument;
}

}  // namespace

void Committer::Run() {
  while (true) {
    items_ = queue_.Take();
    if (items_.empty()) return;
    Process();
    queue_.Done(items_);
  }
}

IngestStore* Committer::AwaitStore() {
  return link_.Await([this](const absl::Status& why) {
    for (const CommitItem& item : queue_.TakeOpens()) item.stream->Fail(why);
    for (const CommitItem& item : items_) {
      if (std::holds_alternative<OpenItem>(item.what)) item.stream->Fail(why);
    }
  });
}

// Stacks come first, since batches name them; what opens, declares and ends comes last, since a
// stream waits for the answer before it sends what depends on it.
void Committer::Process() {
  BatchGroup group;
  for (CommitItem& item : items_) {
    if (item.stream->failed()) continue;
    if (const auto* stacks = std::get_if<StacksItem>(&item.what)) AddStacks(*item.stream, *stacks);
  }
  for (CommitItem& item : items_) {
    if (item.stream->failed()) continue;
    if (auto* batch = std::get_if<EncodedBatch>(&item.what)) {
      group.Add(item.stream, std::move(*batch));
    }
  }
  CommitAll(std::move(group));
  for (CommitItem& item : items_) {
    if (!item.stream->failed()) Control(item);
  }
}

void Committer::AddStacks(IngestStream& stream, const StacksItem& stacks) {
  while (IngestStore* store = AwaitStore()) {
    const absl::Status added = store->AddStacks(stacks.run_id, stacks.folded);
    if (added.code() == absl::StatusCode::kUnavailable) {
      link_.Lost(added);
      continue;
    }
    if (!added.ok()) stream.Fail(link_.Explain(added));
    return;
  }
  stream.Fail(Stopping());
}

void Committer::CommitAll(BatchGroup group) {
  std::size_t limit = kWholeGroup;
  bool in_doubt = false;
  while (!group.empty()) {
    IngestStore* store = AwaitStore();
    if (store == nullptr) return group.FailAll(Stopping());
    bool changed = false;
    if (in_doubt && !Reconcile(*store, &group, &changed)) continue;
    in_doubt = false;
    if (group.empty()) return;

    const std::size_t count = std::min(limit, group.size());
    const auto begin = std::chrono::steady_clock::now();
    const absl::Status committed = store->CommitBatches(group.First(count));
    if (committed.ok()) {
      link_.Worked();
      observer_.OnCommit(std::chrono::steady_clock::now() - begin, count);
      group.Acknowledge(count);
      continue;
    }
    if (committed.code() == absl::StatusCode::kResourceExhausted) {
      // Kept here it would hold up whoever comes; their agents have it all.
      return group.FailAll(link_.Explain(committed));
    }
    const bool is_conflict = committed.code() == absl::StatusCode::kAborted;
    if (!is_conflict && !IsRefusal(committed)) {
      link_.Lost(committed);
      in_doubt = true;
      continue;
    }
    if (is_conflict && !Reconcile(*store, &group, &changed)) {
      in_doubt = true;
      continue;
    }
    // A conflict that the cursors do not explain is some batch's own: found like refused data.
    if (changed) continue;
    if (count > 1) {
      limit = count / 2;
    } else {
      group.RefuseFirst(absl::InvalidArgumentError(std::string(committed.message())));
      limit = kWholeGroup;
    }
  }
}

bool Committer::Reconcile(IngestStore& store, BatchGroup* group, bool* changed) {
  const auto cursors = store.ReadCursors(group->RunIds());
  if (!cursors.ok()) {
    link_.Lost(cursors.status());
    return false;
  }
  *changed = group->Reconcile(*cursors);
  return true;
}

void Committer::Control(CommitItem& item) {
  if (const auto* open = std::get_if<OpenItem>(&item.what)) {
    Open(*item.stream, *open);
  } else if (const auto* declare = std::get_if<DeclareItem>(&item.what)) {
    Declare(*item.stream, *declare);
  } else if (auto* end = std::get_if<EndItem>(&item.what)) {
    ender_.Push(item.stream, std::move(*end));
  }
}

// An agent that opens a run has nothing under way here: it is told that the store is away rather
// than kept waiting. A connection that broke while it was idle is no reason yet.
void Committer::Open(IngestStream& stream, const OpenItem& open) {
  absl::Status failure;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto store = link_.Try();
    if (!store.ok()) return stream.Fail(store.status());
    const auto opened = (*store)->OpenRun(open.spec, open.created_by);
    if (opened.ok()) {
      link_.Worked();
      return stream.Tell(&StreamSink::OnResumed, *opened);
    }
    failure = opened.status();
    if (failure.code() != absl::StatusCode::kUnavailable) break;
    link_.Lost(failure);
  }
  stream.Fail(link_.Explain(failure));
}

void Committer::Declare(IngestStream& stream, const DeclareItem& declare) {
  while (IngestStore* store = AwaitStore()) {
    const auto last_seq = store->DeclareSource(declare.run_id, declare.epoch, declare.source);
    if (last_seq.ok()) {
      link_.Worked();
      return stream.Tell(&StreamSink::OnDeclared, declare.source.source_id, *last_seq);
    }
    if (last_seq.status().code() != absl::StatusCode::kUnavailable) {
      return stream.Fail(link_.Explain(last_seq.status()));
    }
    link_.Lost(last_seq.status());
  }
  stream.Fail(Stopping());
}

}  // namespace regressd::storage
