#pragma once

#include <cstdint>

namespace regressd::agent {

/// What a page is filled with: it decides what compression, and a kernel that only notes down pages
/// of zeros, can make of it.
enum class PageContent {
  kIndex,   ///< Each word its own index, as usemem writes it.
  kZero,    ///< Pages are written, and hold nothing but zeros.
  kRandom,  ///< Cannot be compressed.
};

/// Words of one content, each a function of its place alone.
class ContentSource {
 public:
  explicit ContentSource(PageContent content, std::uint64_t seed = 0)
      : content_(content), seed_(seed * 0x9e3779b97f4a7c15) {}

  std::uint64_t Word(std::uint64_t index) const {
    switch (content_) {
      case PageContent::kIndex:
        return index;
      case PageContent::kZero:
        return 0;
      case PageContent::kRandom:
        return Mix(seed_ + index);
    }
    return 0;
  }

  /// Writes the words [begin, end) to their places.
  void Fill(volatile std::uint64_t* words, std::int64_t begin, std::int64_t end) const {
    // One loop for each, so that the choice is not made for every word.
    switch (content_) {
      case PageContent::kIndex:
        for (std::int64_t i = begin; i < end; ++i) words[i] = static_cast<std::uint64_t>(i);
        return;
      case PageContent::kZero:
        for (std::int64_t i = begin; i < end; ++i) words[i] = 0;
        return;
      case PageContent::kRandom:
        for (std::int64_t i = begin; i < end; ++i) {
          words[i] = Mix(seed_ + static_cast<std::uint64_t>(i));
        }
        return;
    }
  }

  /// A number in [0, bound), the `draw`-th of the sequence.
  std::uint64_t Draw(std::uint64_t draw, std::uint64_t bound) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{Mix(seed_ + draw)} * bound) >> 64);
  }

 private:
  /// The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014) over a counter.
  static std::uint64_t Mix(std::uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  PageContent content_;
  std::uint64_t seed_;
};

}  // namespace regressd::agent
