#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace regressd::dashboard {

/// A name written in the program: of an element or an attribute. Never from input.
class Name {
 public:
  consteval Name(const char* literal) : text_(literal) {}  // NOLINT: names are literals everywhere.
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// The address of one of our own pages: a literal path, then segments and query values of any text,
/// percent-encoded.
class Url {
 public:
  explicit Url(Name path) : text_(path.text()) {}

  Url& Segment(std::string_view value);                      ///< "/<value>"
  Url& Query(std::string_view key, std::string_view value);  ///< "?key=value", then "&key=value".
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

/// The name of an attribute that may have any value. Addresses, styles and handlers are none: they
/// do not compile.
class AttributeName {
 public:
  consteval AttributeName(const char* literal) : text_(literal) {  // NOLINT: as above.
    for (const std::string_view active : {"href", "src", "action", "formaction", "style"}) {
      if (text_ == active) throw "an address or a style: use Href, Action, the style sheet";
    }
    if (text_.starts_with("on")) throw "pages run no scripts";
  }
  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// An attribute with its value. Addresses go through Href and Action, so that no input becomes a
/// scheme.
class Attribute {
 public:
  Attribute(AttributeName name, std::string value) : name_(name.text()), value_(std::move(value)) {}

  std::string_view name() const { return name_; }
  const std::string& value() const { return value_; }

 private:
  friend Attribute Href(const Url& url);
  friend Attribute Action(const Url& url);
  struct Address {};
  Attribute(Address, std::string_view name, const Url& url) : name_(name), value_(url.text()) {}

  std::string_view name_;
  std::string value_;
};

Attribute Href(const Url& url);
Attribute Action(const Url& url);

/// Writes HTML that is escaped by construction: what is not a literal of the program can only
/// become text or the value of an attribute, with control and direction characters spelled out. One
/// thread.
class Html {
 public:
  using Attributes = std::initializer_list<Attribute>;

  /// An element around what `content` writes.
  template <typename Content>
  Html& In(Name tag, Attributes attributes, Content&& content) {
    Open(tag, attributes);
    std::forward<Content>(content)();
    Close();
    return *this;
  }
  template <typename Content>
  Html& In(Name tag, Content&& content) {
    return In(tag, {}, std::forward<Content>(content));
  }

  /// An element around plain text.
  Html& Element(Name tag, Attributes attributes, std::string_view text);
  Html& Element(Name tag, std::string_view text) { return Element(tag, {}, text); }
  /// An element without content or end: input, meta, link.
  Html& Void(Name tag, Attributes attributes);

  Html& Text(std::string_view text);
  /// Text whose line feeds stay, for <pre>.
  Html& Lines(std::string_view text);
  Html& Link(const Url& url, std::string_view text) { return Element("a", {Href(url)}, text); }

  /// The document; every element is closed by then.
  std::string Finish();

 private:
  void Open(Name tag, Attributes attributes);
  void Close();

  std::string out_;
  std::vector<std::string_view> open_;
};

}  // namespace regressd::dashboard
