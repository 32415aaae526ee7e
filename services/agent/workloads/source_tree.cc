#include "services/agent/workloads/source_tree.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

namespace regressd::agent {
namespace {

constexpr int kFirstStage = 10;  // Two digits each: a leading 0 would make an octal number.
constexpr int kEndStage = 110;
constexpr int kMixCount = 10;
constexpr int kLoopCount = 4;

// Both branches give the same value, which the compiler does not see, as it hangs on the table.
constexpr std::string_view kHeader = R"(struct table { unsigned cell[64]; };
#define MIX(v, c) v = v * 31u + (c);
#define MIX10(v, c) MIX(v, c) MIX(v, c + 1) MIX(v, c + 2) MIX(v, c + 3) MIX(v, c + 4) \
  MIX(v, c + 5) MIX(v, c + 6) MIX(v, c + 7) MIX(v, c + 8) MIX(v, c + 9)
#define STAGE(n) \
  static unsigned stage_##n(unsigned v, struct table *t) { \
    for (unsigned i = 0; i < 4; ++i) { \
      t->cell[(v + i) % 64] += i ^ n; \
      if (t->cell[v % 64] & 1) { MIX10(v, n) } else { MIX10(v, n) } \
      t->cell[i] ^= v; \
    } \
    return v; \
  }
#define STAGES10(n) STAGE(n##0) STAGE(n##1) STAGE(n##2) STAGE(n##3) STAGE(n##4) \
  STAGE(n##5) STAGE(n##6) STAGE(n##7) STAGE(n##8) STAGE(n##9)
)";

constexpr std::string_view kMakefile = R"(CC = cc
CFLAGS = -O2
OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))
program: $(OBJECTS)
	$(CC) -o $@ $(OBJECTS)
%.o: %.c stages.h
	$(CC) $(CFLAGS) -c -o $@ $<
clean:
	rm -f program $(OBJECTS)
.PHONY: clean
)";

absl::Status Write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("cannot write {}", path.string()));
}

std::string UnitText(int unit) {
  std::string text = "#include \"stages.h\"\n";
  for (int ten = kFirstStage / 10; ten < kEndStage / 10; ++ten)
    text += fmt::format("STAGES10({})\n", ten);
  text += fmt::format("unsigned unit_{0}(unsigned v) {{\n  struct table t = {{{{{0}}}}};\n", unit);
  for (int stage = kFirstStage; stage < kEndStage; ++stage) {
    text += fmt::format("  v = stage_{}(v, &t);\n", stage);
  }
  return text + "  return v;\n}\n";
}

std::string MainText(int file_count) {
  std::string text = "#include <stdio.h>\n";
  for (int i = 0; i < file_count; ++i) text += fmt::format("unsigned unit_{}(unsigned v);\n", i);
  text += "int main(void) {\n  unsigned v = 1;\n";
  for (int i = 0; i < file_count; ++i) text += fmt::format("  v = unit_{}(v);\n", i);
  return text + "  printf(\"%u\\n\", v);\n  return 0;\n}\n";
}

}  // namespace

absl::Status WriteSourceTree(const std::filesystem::path& directory, int file_count) {
  if (absl::Status status = Write(directory / "stages.h", kHeader); !status.ok()) return status;
  if (absl::Status status = Write(directory / "Makefile", kMakefile); !status.ok()) return status;
  for (int i = 0; i < file_count; ++i) {
    absl::Status status = Write(directory / fmt::format("unit_{}.c", i), UnitText(i));
    if (!status.ok()) return status;
  }
  return Write(directory / "main.c", MainText(file_count));
}

std::string ExpectedOutput(int file_count) {
  std::uint32_t value = 1;
  for (int unit = 0; unit < file_count; ++unit) {
    for (int stage = kFirstStage; stage < kEndStage; ++stage) {
      for (int i = 0; i < kLoopCount * kMixCount; ++i) {
        value = value * 31 + static_cast<std::uint32_t>(stage + i % kMixCount);
      }
    }
  }
  return fmt::format("{}\n", value);
}

}  // namespace regressd::agent
