#include "services/parse/kernel_log.h"

#include <array>

#include "services/parse/kernel_log_id.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

/// How much of the line is the complaint.
enum class Take {
  kWords,     ///< The words of the pattern alone: what follows differs from run to run.
  kRest,      ///< From the pattern to the end of the line.
  kFunction,  ///< From the pattern to the next "+0x".
  kOopsCode,  ///< From the pattern to the oops's count, "[#1]".
};

struct Pattern {
  std::string_view text;
  KernelTrouble trouble;
  Take take;
};

// The first that occurs in a line decides. "BUG:" and "WARNING:" alone come after their kinds.
constexpr std::array kPatterns = {
    Pattern{"invoked oom-killer: gfp_mask=0x", KernelTrouble::kOom, Take::kWords},
    Pattern{"Memory cgroup out of memory: Killed process", KernelTrouble::kOom, Take::kWords},
    Pattern{"Out of memory: Killed process", KernelTrouble::kOom, Take::kWords},
    Pattern{"Out of memory: Kill process", KernelTrouble::kOom, Take::kWords},
    Pattern{"Out of memory and no killable processes", KernelTrouble::kOom, Take::kWords},
    Pattern{"Kernel panic - not syncing: ", KernelTrouble::kOops, Take::kRest},
    Pattern{"BUG: soft lockup - CPU#", KernelTrouble::kLockup, Take::kRest},
    Pattern{"BUG: workqueue lockup - pool", KernelTrouble::kLockup, Take::kWords},
    Pattern{"Watchdog detected hard LOCKUP on cpu", KernelTrouble::kLockup, Take::kWords},
    Pattern{"BUG: KASAN: ", KernelTrouble::kBug, Take::kFunction},
    Pattern{"BUG: KFENCE: ", KernelTrouble::kBug, Take::kFunction},
    Pattern{"BUG: KCSAN: ", KernelTrouble::kBug, Take::kRest},
    Pattern{"BUG: scheduling while atomic", KernelTrouble::kBug, Take::kWords},
    Pattern{"BUG: Bad page map in process", KernelTrouble::kBug, Take::kWords},
    Pattern{"BUG: Bad page state in process", KernelTrouble::kBug, Take::kWords},
    Pattern{"BUG: Bad page cache in process", KernelTrouble::kBug, Take::kWords},
    Pattern{"BUG: using smp_processor_id() in preemptible", KernelTrouble::kBug, Take::kWords},
    Pattern{"BUG: unable to handle ", KernelTrouble::kOops, Take::kRest},
    Pattern{"BUG: kernel NULL pointer dereference", KernelTrouble::kOops, Take::kRest},
    Pattern{"BUG: MAX_LOCK", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"kernel BUG at ", KernelTrouble::kBug, Take::kRest},
    Pattern{"UBSAN: ", KernelTrouble::kBug, Take::kRest},
    Pattern{"BUG: ", KernelTrouble::kBug, Take::kRest},
    Pattern{"Oops: ", KernelTrouble::kOops, Take::kOopsCode},
    Pattern{"general protection fault", KernelTrouble::kOops, Take::kOopsCode},
    Pattern{"Internal error: ", KernelTrouble::kOops, Take::kOopsCode},
    Pattern{"Unable to handle kernel ", KernelTrouble::kOops, Take::kRest},
    Pattern{"stack segment: ", KernelTrouble::kOops, Take::kOopsCode},
    Pattern{"WARNING: possible ", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"INFO: possible ", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"WARNING: inconsistent lock state", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"INFO: inconsistent lock state", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"WARNING: bad unlock balance detected", KernelTrouble::kLockdep, Take::kWords},
    Pattern{"WARNING: suspicious RCU usage", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"WARNING: lock held when returning to user space", KernelTrouble::kLockdep,
            Take::kWords},
    Pattern{"WARNING: Nested lock was not taken", KernelTrouble::kLockdep, Take::kRest},
    Pattern{"INFO: trying to register non-static key", KernelTrouble::kLockdep, Take::kWords},
    Pattern{"page allocation failure: ", KernelTrouble::kAllocationFailure, Take::kRest},
};

/// From the first "[   12.345678]" or "[   T12]" on, those left out; other text is kept.
std::string_view WithoutPrefix(std::string_view line) {
  for (;;) {
    line = Trim(line);
    if (!line.starts_with('[')) return line;
    const std::size_t end = line.find(']');
    if (end == kNone) return line;
    const std::string_view inside = Trim(line.substr(1, end - 1));
    const bool caller = inside.size() > 1 && (inside[0] == 'T' || inside[0] == 'C') &&
                        ToUnsigned(inside.substr(1)).has_value();
    if (!caller && !ToDouble(inside)) return line;
    line.remove_prefix(end + 1);
  }
}

std::string_view Cut(std::string_view text, std::string_view end_mark) {
  const std::size_t end = text.find(end_mark);
  return end == kNone ? text : text.substr(0, end + end_mark.size());
}

std::string_view Part(std::string_view from, const Pattern& pattern) {
  switch (pattern.take) {
    case Take::kWords:
      return from.substr(0, pattern.text.size());
    case Take::kFunction:
      return from.substr(0, from.find("+0x"));
    case Take::kOopsCode: {
      const std::size_t count = from.find("[#");
      return count == kNone ? from : from.substr(0, count + Cut(from.substr(count), "]").size());
    }
    case Take::kRest:
      break;
  }
  if (from.ends_with(" ]")) from.remove_suffix(2);  // "[ INFO: possible ... ]"
  from = from.substr(0, from.find("cpuset="));      // Of an allocation failure: the place.
  return from;
}

std::string IdOf(std::string_view part, const Pattern& pattern) {
  // The kernel's "0x" stays, as the mails have it.
  if (pattern.text.ends_with("=0x")) {
    return KernelMessageId(pattern.text.substr(0, pattern.text.size() - 3)) + "=0x";
  }
  return KernelMessageId(part);
}

/// "WARNING: CPU: 1 PID: 2 at mm/vmscan.c:5 shrink_lruvec+0x1/0x2 [mod]", and since Linux 6.18
/// "WARNING: mm/vmscan.c:5 at shrink_lruvec+0x1/0x2 [mod], CPU#1: kswapd0/34": one name for both.
std::optional<std::string> WarningPlace(std::string_view from) {
  const std::size_t at = from.find(" at ");
  if (at == kNone) return std::nullopt;
  std::vector<std::string_view> words;
  SplitWords(from.substr(at + 4), &words);
  std::string_view place, function;
  if (from.find(" PID: ") < at && words.size() >= 2) {
    place = words[0];
    function = words[1];
  } else if (!words.empty() && words[0].find("+0x") != kNone) {
    place = Trim(from.substr(from.find(' '), at - from.find(' ')));
    function = words[0];
  } else {
    return std::nullopt;
  }
  function = function.substr(0, function.find("+0x"));
  return KernelMessageId("WARNING: at " + std::string(place) + " " + std::string(function));
}

/// "INFO: task name:123 blocked for more than 120 seconds."
std::optional<KernelComplaint> ReadHungTask(std::string_view line) {
  const std::size_t blocked = line.find(" blocked for more than ");
  const std::size_t task = line.find("INFO: task ");
  if (task == kNone || blocked == kNone || blocked < task) return std::nullopt;
  const std::string_view rest = Cut(line.substr(blocked + 1), "seconds");
  return KernelComplaint{.trouble = KernelTrouble::kHungTask,
                         .id = KernelMessageId("INFO: task " + std::string(rest))};
}

/// "rcu: INFO: rcu_preempt self-detected stall on CPU", "... detected stalls on CPUs/tasks:".
std::optional<KernelComplaint> ReadRcuStall(std::string_view line) {
  const std::size_t begin = line.find("INFO: rcu");
  if (begin == kNone) return std::nullopt;
  for (const std::string_view end : {"stall on CPU", "detected stalls on CPUs/tasks",
                                     "detected expedited stalls on CPUs/tasks"}) {
    if (line.find(end, begin) == kNone) continue;
    return KernelComplaint{.trouble = KernelTrouble::kRcuStall,
                           .id = KernelMessageId(Cut(line.substr(begin), end))};
  }
  return std::nullopt;
}

/// "RIP: 0010:shrink_lruvec+0x1/0x2": where a fault or a warning happened.
std::optional<KernelComplaint> ReadInstructionPointer(std::string_view line) {
  if (!line.starts_with("RIP: 0010:")) return std::nullopt;
  const std::string_view function = line.substr(10);
  const std::size_t offset = function.find("+0x");
  if (offset == kNone || offset == 0) return std::nullopt;
  return KernelComplaint{.trouble = KernelTrouble::kWarning,
                         .id = "RIP:" + KernelMessageId(function.substr(0, offset))};
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size() && text[at + 1] == 'x' &&
        HexDigit(text[at + 2]) >= 0 && HexDigit(text[at + 3]) >= 0) {
      plain += static_cast<char>(HexDigit(text[at + 2]) * 16 + HexDigit(text[at + 3]));
      at += 3;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

}  // namespace

std::string_view ToString(KernelTrouble trouble) {
  switch (trouble) {
    case KernelTrouble::kOom:
      return "oom";
    case KernelTrouble::kOops:
      return "oops";
    case KernelTrouble::kBug:
      return "bug";
    case KernelTrouble::kWarning:
      return "warning";
    case KernelTrouble::kHungTask:
      return "hung_task";
    case KernelTrouble::kLockup:
      return "lockup";
    case KernelTrouble::kRcuStall:
      return "rcu_stall";
    case KernelTrouble::kLockdep:
      return "lockdep";
    case KernelTrouble::kAllocationFailure:
      break;
  }
  return "allocation_failure";
}

bool ParseKmsgRecord(std::string_view record, KmsgRecord* out) {
  const std::size_t semicolon = record.find(';');
  if (semicolon == kNone) return false;
  std::vector<std::string_view> fields;
  SplitFields(record.substr(0, semicolon), ',', &fields);
  if (fields.size() < 3) return false;  // Newer kernels may put more of them in front of the ';'.
  const auto priority = ToUnsigned(fields[0]);
  const auto sequence = ToUnsigned(fields[1]);
  const auto time_us = ToInt(fields[2]);
  if (!priority || !sequence || !time_us) return false;
  const std::string_view text = record.substr(semicolon + 1);
  // Facility 0 above the level is the kernel's own.
  *out = {.from_kernel = *priority < 8,
          .level = static_cast<int>(*priority & 7),
          .sequence = *sequence,
          .time = std::chrono::microseconds(*time_us),
          .message = Unescape(text.substr(0, text.find('\n')))};
  return true;
}

std::optional<OomKill> ReadOomKill(std::string_view line) {
  line = WithoutPrefix(line);
  // Names of cgroups may have commas, so each ends at the next key.
  const auto between = [line](std::string_view begin_mark, std::string_view end_mark) {
    const std::size_t mark = line.find(begin_mark);
    if (mark == kNone) return std::string();
    const std::string_view rest = line.substr(mark + begin_mark.size());
    return std::string(rest.substr(0, rest.find(end_mark)));
  };
  if (line.starts_with("oom-kill:constraint=")) {
    return OomKill{.limit_cgroup = between(",oom_memcg=", ",task_memcg="),
                   .task_cgroup = between(",task_memcg=", ",task=")};
  }
  constexpr std::string_view kLimit = " killed as a result of limit of ";
  if (!line.starts_with("Task in ") || line.find(kLimit) == kNone) return std::nullopt;
  return OomKill{.limit_cgroup = std::string(line.substr(line.find(kLimit) + kLimit.size())),
                 .task_cgroup = between("Task in ", kLimit)};
}

std::optional<KernelComplaint> ReadKernelLine(std::string_view line) {
  line = WithoutPrefix(line);
  // The end mark of a trace repeats the panic that it belongs to.
  if (line.starts_with("---[ end ")) return std::nullopt;
  if (auto hung = ReadHungTask(line)) return hung;
  if (auto stall = ReadRcuStall(line)) return stall;
  if (auto pointer = ReadInstructionPointer(line)) return pointer;
  for (const Pattern& pattern : kPatterns) {
    const std::size_t begin = line.find(pattern.text);
    if (begin == kNone) continue;
    return KernelComplaint{.trouble = pattern.trouble,
                           .id = IdOf(Part(line.substr(begin), pattern), pattern)};
  }
  const std::size_t warning = line.find("WARNING: ");
  if (warning == kNone) return std::nullopt;
  const std::string_view rest = line.substr(warning);
  return KernelComplaint{.trouble = KernelTrouble::kWarning,
                         .id = WarningPlace(rest).value_or(KernelMessageId(rest))};
}

}  // namespace regressd::parse
