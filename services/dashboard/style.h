#pragma once

#include <string_view>

namespace regressd::dashboard {

/// The style sheet of all pages: light and dark by the reader's setting, print, no motion. Colours
/// pass WCAG AA on their grounds and do not rest on red against green.
extern const std::string_view kStyle;

}  // namespace regressd::dashboard
