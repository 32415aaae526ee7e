#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regressd::model {

/// One coordinate of a run, text to text.
struct Axis {
  std::string key;
  std::string value;

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// The coordinates of a run: testcase, tbox_group, kconfig, parameters, ... without the commit.
///
/// Keeps the order in which they were given, for printing; two Axes are the same set when their sorted pairs are equal.
/// Keys are unique: `Set` on a known key replaces its value in place.
/// Thread-compatible.
class Axes {
 public:
  Axes() = default;
  explicit Axes(std::vector<Axis> axes);

  void Set(std::string_view key, std::string_view value);
  std::optional<std::string_view> Find(std::string_view key) const;
  const std::vector<Axis>& list() const { return list_; }
  bool empty() const { return list_.empty(); }

  /// The sorted pairs as text, the identity: `key=value` lines, '\n' and '\\' in either escaped with '\\', '=' in keys too.
  std::string Canonical() const;
  /// Hash63 of Canonical().
  std::int64_t Id() const;
  /// True when every pair of `part` is in this set.
  bool Contains(const Axes& part) const;

  friend bool operator==(const Axes& a, const Axes& b) { return a.Canonical() == b.Canonical(); }

 private:
  std::vector<Axis> list_;
};

/// LKP's machine class of a host name: without a trailing "-<digits>"; then an inner "-<digits>-" becomes "-".
/// "lkp-hsw-ep2-1" gives "lkp-hsw-ep2".
std::string TboxGroup(std::string_view host_name);

}  // namespace regressd::model
