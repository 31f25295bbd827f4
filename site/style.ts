// How the guide's pages look, beyond what they share with the API reference.
import { frameStyle } from '../src/ops/docs-frame.ts'

export const pageStyle = `${frameStyle}
.frame { display: grid; grid-template-columns: 276px minmax(0, 1fr); max-width: 1440px; margin: 0 auto }
.middle { display: grid; grid-template-columns: minmax(0, 50rem) 208px; gap: 56px; justify-content: center;
  padding: 40px 40px 96px }
main { min-width: 0 }
h1, h2, h3, h4 { line-height: 1.25; letter-spacing: -0.017em; text-wrap: balance }
h1 { margin: 0 0 20px; font-size: 34px; font-weight: 700; letter-spacing: -0.025em }
h2 { margin: 56px 0 14px; font-size: 23px; font-weight: 650 }
h3 { margin: 36px 0 10px; font-size: 18px; font-weight: 650 }
h4 { margin: 28px 0 8px; font-size: 16px; font-weight: 650 }
h2 code, h3 code { background: none; border: 0; padding: 0; font-size: 0.92em }
p, ul, ol { margin: 0 0 16px; text-wrap: pretty }
ul, ol { padding-left: 24px }
main > :is(p, ul, ol, blockquote, h1, h2, h3, h4) { max-width: 46rem }
main > .cards { max-width: none }
li { margin: 4px 0 }
li::marker { color: var(--text-3) }
img { display: block; max-width: 100%; height: auto; margin: 24px 0; border: 1px solid var(--border); border-radius: 10px }
hr { border: 0; border-top: 1px solid var(--border); margin: 40px 0 }
blockquote { margin: 20px 0; padding: 12px 18px; border-left: 3px solid var(--accent); border-radius: 0 8px 8px 0;
  background: var(--accent-soft) }
blockquote > :last-child { margin: 0 }
main > h1 + p { font-size: 17.5px; line-height: 1.6; color: var(--text-2) }
.anchor { margin-left: 4px; font-weight: 400; text-decoration: none; opacity: 0 }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { opacity: 1 }
.in-repository { border-bottom: 1px dotted var(--border-control) }

.code { position: relative; margin: 0 0 20px }
pre { margin: 0 0 20px; tab-size: 2 }
.code pre { margin: 0 }
.copy { position: absolute; top: 8px; right: 8px; height: 28px; padding: 0 10px; border: 1px solid var(--border-strong);
  border-radius: 6px; background: var(--surface); color: var(--text-2); font: 500 12px var(--font); cursor: pointer; opacity: 0 }
.code:hover .copy, .copy:focus-visible { opacity: 1 }
@media (hover: none) { .copy { opacity: 1 } .code pre { padding-top: 44px } }

.table { overflow-x: auto; margin: 0 0 24px; scrollbar-width: thin }
table { border-collapse: collapse; width: 100%; font-size: 14px; line-height: 1.55 }
th { text-align: left; font-weight: 600; color: var(--text-2); white-space: nowrap }
th, td { padding: 9px 16px 9px 0; border-bottom: 1px solid var(--border); vertical-align: top }
td { min-width: 5.5rem }
td:last-child, th:last-child { padding-right: 4px }
td code { font-size: 12.5px; overflow-wrap: anywhere }
td:first-child > code:only-child { white-space: nowrap; overflow-wrap: normal; color: var(--text) }
tr:target { background: var(--accent-soft) }
:is(h2, h3, h4):target { text-decoration: underline 2px var(--accent-line); text-underline-offset: 6px }

.toc { position: sticky; top: 96px; align-self: start; max-height: calc(100vh - 120px); overflow-y: auto; font-size: 13px;
  line-height: 1.4; scrollbar-width: thin }
.toc h2 { margin: 0 0 8px; font-size: 12px; font-weight: 600; letter-spacing: 0.02em; color: var(--text-3) }
.toc ul { list-style: none; margin: 0; padding: 0; border-left: 1px solid var(--border) }
.toc li { margin: 0 }
.toc a { display: block; padding: 4px 0 4px 14px; margin-left: -1px; border-left: 1px solid transparent; color: var(--text-2);
  text-decoration: none; overflow-wrap: anywhere }
.toc .deeper a { padding-left: 28px }
.toc a:hover { color: var(--text) }
.toc a[aria-current] { color: var(--accent-text); border-left-color: var(--accent-text) }

.turn { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; margin-top: 64px; padding-top: 24px; border-top: 1px solid var(--border) }
.turn a { padding: 12px 16px; border: 1px solid var(--border); border-radius: 10px; text-decoration: none; font-weight: 600 }
.turn a:hover { border-color: var(--accent-line); background: var(--accent-soft) }
.turn small { display: block; font-weight: 400; font-size: 13px; color: var(--text-3) }
.turn .next { grid-column: 2; text-align: right }
.foot { margin-top: 24px; font-size: 13px; color: var(--text-3) }

.finder { position: relative; margin-left: auto; width: min(300px, 40vw) }
.finder input { width: 100%; height: 36px; padding: 0 34px 0 12px; border: 1px solid var(--border-control); border-radius: 8px;
  background: var(--surface); color: inherit; font: 14px var(--font) }
.finder input::-webkit-search-cancel-button { display: none }
.finder input::placeholder { color: var(--text-3); opacity: 1 }
.finder kbd { position: absolute; right: 9px; top: 8px; padding: 0 6px; border: 1px solid var(--border-strong); border-radius: 4px;
  color: var(--text-3); font: 12px/18px var(--mono); pointer-events: none }
.finder input:focus + kbd { display: none }
.found { position: absolute; right: 0; top: 44px; width: min(560px, calc(100vw - 32px)); max-height: min(70vh, 560px); overflow-y: auto;
  margin: 0; padding: 6px; list-style: none; background: var(--surface); border: 1px solid var(--border); border-radius: 10px;
  box-shadow: var(--pop) }
.found li { margin: 0; padding: 8px 12px; border-radius: 6px; font-size: 13px; line-height: 1.45; cursor: pointer; color: var(--text-2) }
.found li b { display: block; font-size: 14px; font-weight: 600; color: var(--text); overflow-wrap: anywhere }
.found li span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.found li[aria-selected="true"] { background: var(--accent-soft) }
.found .none { cursor: default }

.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(260px, 1fr)); gap: 12px; padding: 0; list-style: none }
.cards li { margin: 0 }
.cards a { display: block; height: 100%; padding: 14px 18px; border: 1px solid var(--border); border-radius: 10px;
  text-decoration: none; color: var(--text-2); font-size: 14px; line-height: 1.5 }
.cards b { display: block; font-size: 15px; font-weight: 600; color: var(--text) }
.cards a:hover { border-color: var(--accent-line); background: var(--accent-soft) }
.wide { grid-template-columns: minmax(0, 56rem) }

@media (max-width: 1199.9px) { .middle { grid-template-columns: minmax(0, 50rem) } .toc { display: none } }
@media (max-width: 899.9px) {
  .frame { grid-template-columns: minmax(0, 1fr) }
  .middle { padding: 24px 16px 64px }
  h1 { font-size: 28px }
  h2 { font-size: 21px; margin-top: 44px }
  .finder { width: auto; flex: 1; min-width: 0 }
  .finder kbd { display: none }
  .found { position: fixed; left: 16px; right: 16px; top: 52px; width: auto }
}
@media (max-width: 599.9px) {
  .places a:not([aria-current]) { padding: 5px 4px }
  .places a[aria-current] { display: none }
  .brand b { display: none }
  body { font-size: 16px }
  pre { margin-left: -16px; margin-right: -16px; border-radius: 0; border-left: 0; border-right: 0 }
  .code { margin-left: -16px; margin-right: -16px }
  .code pre { margin: 0 }
  .table { margin-left: -16px; margin-right: -16px; padding: 0 16px }
  table { width: auto; min-width: 100% }
  td { min-width: 8rem }
  .stacked :is(table, tbody, tr, td) { display: block }
  .stacked thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
  .stacked tr { padding: 12px 0; border-bottom: 1px solid var(--border) }
  .stacked td { padding: 2px 0; border: 0 }
  .stacked td:first-child { font-weight: 600; padding-bottom: 4px }
  .stacked td:empty { display: none }
  .stacked td:not(:first-child)[data-label]::before { content: attr(data-label) ": "; color: var(--text-3) }
  .turn { grid-template-columns: 1fr }
  .turn .next { grid-column: 1; text-align: left }
}
@media print { .finder, .toc, .turn, .anchor, .copy { display: none } .frame, .middle { display: block } }
`
