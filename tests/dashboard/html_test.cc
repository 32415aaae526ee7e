#include "services/dashboard/html.h"

#include <gtest/gtest.h>

namespace regressd::dashboard {
namespace {

TEST(HtmlTest, EscapesTextAndAttributes) {
  Html html;
  html.Element("p", {{"title", "\"'><script>"}}, "<script>alert('x')</script> & more");
  EXPECT_EQ(html.Finish(),
            "<p title=\"&quot;&#39;&gt;&lt;script&gt;\">"
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; more</p>");
}

TEST(HtmlTest, SpellsOutWhatReordersOrControls) {
  Html html;
  html.Text("a\u202Eb\x1b[2J");
  EXPECT_EQ(html.Finish(), "a\\u{202e}b\\x1b[2J");
}

TEST(HtmlTest, NestsElements) {
  Html html;
  html.In("ul", {{"class", "x"}}, [&] { html.Element("li", "1").Element("li", "2"); });
  EXPECT_EQ(html.Finish(), "<ul class=\"x\"><li>1</li><li>2</li></ul>");
}

TEST(HtmlTest, KeepsLinesOnlyWhereAsked) {
  Html html;
  html.In("pre", [&] { html.Lines("a\n<b>\n"); }).Text("c\nd");
  EXPECT_EQ(html.Finish(), "<pre>a\n&lt;b&gt;\n</pre>c\\x0ad");
}

TEST(UrlTest, EncodesEverythingThatIsNotALetter) {
  // Python 3.11: urllib.parse.quote(x, safe="").
  EXPECT_EQ(Url("/run").Segment("../x?y#z").text(), "/run/..%2Fx%3Fy%23z");
  EXPECT_EQ(Url("/compare").Query("base", "v6.1&head=x").Query("axis", "a=ä b").text(),
            "/compare?base=v6.1%26head%3Dx&axis=a%3D%C3%A4%20b");
}

TEST(UrlTest, NoInputBecomesAScheme) {
  Html html;
  html.Link(Url("/r").Segment("javascript:alert(1)"), "x");
  EXPECT_EQ(html.Finish(), "<a href=\"/r/javascript%3Aalert%281%29\">x</a>");
}

}  // namespace
}  // namespace regressd::dashboard
