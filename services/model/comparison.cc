#include "services/model/comparison.h"

#include "services/model/names.h"

namespace regressd::model {
namespace {

constexpr Names<Verdict, 6> kVerdicts{{
    {Verdict::kRegression, "regression"},
    {Verdict::kImprovement, "improvement"},
    {Verdict::kChanged, "changed"},
    {Verdict::kMixed, "mixed"},
    {Verdict::kUnchanged, "unchanged"},
    {Verdict::kInconclusive, "inconclusive"},
}};

}  // namespace

std::string_view ToString(Verdict verdict) { return NameOf(kVerdicts, verdict); }
bool FromString(std::string_view text, Verdict* out) { return ValueOf(kVerdicts, text, out); }

}  // namespace regressd::model
