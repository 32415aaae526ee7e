#pragma once

#include <string>

#include "services/model/time.h"

namespace regressd::report {

/// "2026-11-30T12:05:03.000250Z"; whole seconds have no fraction.
std::string Rfc3339(model::Time time);

/// "2026-11-30 12:05:03 UTC", for people.
std::string ReadableTime(model::Time time);

/// "Mon, 30 Nov 2026 12:05:03 +0000", the Date of a mail.
std::string Rfc5322Date(model::Time time);

/// "Mon Nov 30 12:05:03 2026", as in the "From " line of an mbox.
std::string AsctimeDate(model::Time time);

}  // namespace regressd::report
