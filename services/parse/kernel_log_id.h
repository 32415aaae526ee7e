#pragma once

#include <string>
#include <string_view>

namespace regressd::parse {

/// The name that LKP's scripts give a message of the kernel (lkp-tests lib/dmesg.rb, described in
/// its own words): offsets, compiler suffixes and taints dropped, numbers and block devices'
/// numbers as '#', blanks beside punctuation dropped and others as '_', punctuation at the end
/// dropped.
std::string KernelMessageId(std::string_view message);

}  // namespace regressd::parse
