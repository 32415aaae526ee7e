#include "services/dashboard/style.h"

namespace regressd::dashboard {

const std::string_view kStyle = R"css(:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f5f6f8; --line: #d8dce2; --text: #1a1f26; --quiet: #566170;
  --link: #0b57b0; --focus: #0b57b0; --mark: #e7effa;
  --worse: #a33a00; --worse-ground: #fdeee4; --better: #0b57b0; --better-ground: #e5effb;
  --other: #5c4a00; --other-ground: #f8f0d2; --code: #f5f6f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --panel: #1c2128; --line: #353c47; --text: #e4e8ee; --quiet: #a2adbb;
    --link: #83b6ff; --focus: #83b6ff; --mark: #20304a;
    --worse: #ffa477; --worse-ground: #3d2417; --better: #83b6ff; --better-ground: #17304f;
    --other: #e9cf74; --other-ground: #38300f; --code: #1c2128;
  }
}
* { box-sizing: border-box; }
html { font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
body { margin: 0; background: var(--ground); color: var(--text); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
.bar { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: center; padding: 0 1.5rem;
  border-bottom: 1px solid var(--line); background: var(--panel); }
.brand { font: 600 1rem/3rem ui-monospace, "DejaVu Sans Mono", monospace; color: var(--text); }
.bar ul { display: flex; gap: 1.5rem; margin: 0; padding: 0; list-style: none; }
.bar li a { display: block; line-height: calc(3rem - 2px); border-bottom: 2px solid transparent; }
.bar a[aria-current] { border-bottom-color: var(--link); font-weight: 600; color: var(--text); }
main { max-width: 86rem; margin: 0 auto; padding: 1.25rem 1.5rem 3rem; }
footer { padding: 1rem 1.5rem; color: var(--quiet); font-size: .85rem; border-top: 1px solid var(--line); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p { max-width: 50rem; margin: .5rem 0; }
code, pre, .mono { font-family: ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace; font-size: .9em; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 4px; padding: .75rem 1rem;
  overflow-x: auto; line-height: 1.35; tab-size: 8; }
.quiet { color: var(--quiet); font-weight: 400; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: .5rem; top: .5rem; padding: .25rem .75rem; background: var(--ground); z-index: 1; }
.note { max-width: 56rem; }
.lead { font-size: 1.05rem; max-width: 56rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding: 0 0 .35rem; }
th, td { padding: .3rem .75rem; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: .25rem; }
thead th { font-size: .85rem; font-weight: 600; color: var(--quiet); white-space: nowrap;
  background: var(--ground); border-bottom: 2px solid var(--line); }
tbody th { font-weight: 400; }
tbody tr:hover { background: var(--panel); }
td.n, th.n { text-align: right; white-space: nowrap; }
th.side { text-align: center; }
th.n.side { text-align: right; }
th.side { border-left: 1px solid var(--line); }
td.side { border-left: 1px solid var(--line); }
.metric { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .86em; overflow-wrap: anywhere; }
td.time { white-space: nowrap; }
.tag { display: inline-block; padding: .02rem .45rem; border-radius: 3px; font-size: .85em; white-space: nowrap;
  border: 1px solid var(--line); background: var(--panel); }
.tag.worse { color: var(--worse); background: var(--worse-ground); border-color: currentColor; }
.tag.better { color: var(--better); background: var(--better-ground); border-color: currentColor; }
.tag.other { color: var(--other); background: var(--other-ground); border-color: currentColor; }
td.worse { color: var(--worse); font-weight: 600; }
td.better { color: var(--better); font-weight: 600; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.5rem; margin: .75rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.panel { border: 1px solid var(--line); border-radius: 4px; background: var(--panel); padding: .75rem 1rem; margin: 1rem 0; }
form.filter { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; padding: .75rem 1rem; margin: 0 0 1rem;
  border: 1px solid var(--line); border-radius: 4px; background: var(--panel); }
form.filter label { display: grid; gap: .15rem; font-size: .85rem; color: var(--quiet); }
input, select, button { font: inherit; color: var(--text); background: var(--ground); border: 1px solid var(--quiet);
  border-radius: 3px; padding: .25rem .5rem; }
input, select, button { height: 2.1rem; }
input { min-width: 15rem; max-width: 100%; }
::placeholder { color: var(--quiet); opacity: 1; }
button { cursor: pointer; background: var(--link); border-color: var(--link); color: var(--ground); font-weight: 600; }
.states { display: flex; flex-wrap: wrap; gap: .35rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.states a { display: block; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 1rem; }
.states a[aria-current] { background: var(--mark); border-color: var(--link); color: var(--text); font-weight: 600; }
.pager { display: flex; gap: 1.5rem; margin: 1rem 0; }
.error, .empty { border: 1px solid var(--line); border-left: 4px solid var(--quiet); border-radius: 3px;
  background: var(--panel); padding: .5rem 1rem; margin: 1rem 0; white-space: pre-line; }
.error { border-left-color: var(--worse); }
details { margin: 1rem 0; }
summary { cursor: pointer; color: var(--link); }
svg.strip { display: block; width: 100%; max-width: 46rem; height: auto; margin: .75rem 0; }
.strip text { fill: var(--quiet); font-size: 12px; }
.strip .axis { stroke: var(--line); stroke-width: 1; }
.strip .mean { stroke: var(--text); stroke-width: 2; }
.strip .base { fill: var(--quiet); fill-opacity: .65; }
.strip .head { fill: var(--link); fill-opacity: .65; }
.strip .head.worse { fill: var(--worse); }
@media (max-width: 40rem) { .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .4rem; } }
@media print {
  .bar nav, form.filter, .pager, .states { display: none; }
  body { color: #000; background: #fff; }
  main { max-width: none; padding: 0; }
  a { color: inherit; }
  .scroll, pre { overflow: visible; }
  pre { font-size: 7.5pt; white-space: pre-wrap; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
}
)css";

}  // namespace regressd::dashboard
