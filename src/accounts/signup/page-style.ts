// How the sign-up page looks: the console's tokens, as far as one card needs them.
export const pageStyle = `
:root {
  color-scheme: light dark;
  --font: "Inter Variable", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --bg: #f6f6f8; --surface: #ffffff; --surface-2: #fafafb; --hover: #f3f3f6;
  --border: #e4e4e9; --border-strong: #d0d0d8;
  --text: #1a1a1f; --text-2: #4e4e59; --text-3: #666672;
  --accent: #7a2e8f; --accent-hover: #66237a; --on-accent: #ffffff; --accent-text: #74298a; --accent-soft: #f7eefa;
  --ok: #14693f; --ok-soft: #e8f5ee; --ok-line: #bfe0cd; --ok-solid: #22935b;
  --bad: #ad2317; --bad-soft: #fdefed; --bad-line: #f3c7c1; --bad-solid: #cf3a2c;
  --focus: #7a2e8f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f0f12; --surface: #17171b; --surface-2: #131316; --hover: #1e1e23;
    --border: #29292f; --border-strong: #3b3b44;
    --text: #ededf1; --text-2: #b9b9c3; --text-3: #9797a3;
    --accent: #9a48b3; --accent-hover: #8b3ca4; --on-accent: #ffffff; --accent-text: #dca9ec; --accent-soft: #2a1c31;
    --ok: #6bd29b; --ok-soft: #12281c; --ok-line: #24503a; --ok-solid: #3fae76;
    --bad: #ff9387; --bad-soft: #331917; --bad-line: #64302b; --bad-solid: #e5574a;
    --focus: #dca9ec;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { min-height: 100%; margin: 0; }
body { display: grid; place-items: start center; padding: 12vh 16px 32px; background: var(--bg); color: var(--text);
  font: 400 14px/20px var(--font); -webkit-font-smoothing: antialiased; }
main { width: 100%; max-width: 440px; }
.brand { display: flex; align-items: center; gap: 8px; margin: 0 0 12px 4px; color: var(--text-2); font-weight: 600; }
.brand svg { width: 20px; height: 20px; color: var(--accent-text); }
.card { border: 1px solid var(--border); border-radius: 14px; background: var(--surface); padding: 24px; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -.012em; }
p { margin: 0; color: var(--text-2); }
b { color: var(--text); font-weight: 600; }
ol { margin: 20px 0; padding: 0; list-style: none; counter-reset: step; }
li { position: relative; counter-increment: step; padding: 0 0 12px 36px; color: var(--text-2); }
li:last-child { padding-bottom: 0; }
li::before { content: counter(step); position: absolute; left: 0; top: -2px; width: 24px; height: 24px; border-radius: 50%;
  background: var(--accent-soft); color: var(--accent-text); font-size: 12px; line-height: 24px; text-align: center;
  font-weight: 600; font-variant-numeric: tabular-nums; }
button { display: block; width: 100%; min-height: 44px; padding: 10px 16px; border: 0; border-radius: 6px;
  background: var(--accent); color: var(--on-accent); font: 500 14px/20px var(--font); cursor: pointer;
  transition: background 90ms; }
button:hover { background: var(--accent-hover); }
button:disabled { background: var(--hover); color: var(--text-3); cursor: default; box-shadow: inset 0 0 0 1px var(--border-strong); }
a { color: var(--accent-text); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 6px; }
.other { margin: 4px 0 -8px; text-align: center; font-size: 13px; }
.other a { display: inline-block; padding: 12px 8px; }
.note { display: grid; grid-template-columns: 16px minmax(0, 1fr); gap: 2px 10px; margin-top: 16px; padding: 12px 14px;
  border: 1px solid var(--border); border-radius: 10px; background: var(--surface-2); overflow-wrap: anywhere; }
.note::before { content: ""; width: 10px; height: 10px; margin: 5px 3px; background: var(--text-3); border-radius: 50%; }
.note > * { grid-column: 2; }
.note h2 { grid-row: 1; margin: 0; font-size: 14px; line-height: 20px; font-weight: 600; }
.note.ok { background: var(--ok-soft); border-color: var(--ok-line); }
.note.ok::before { background: var(--ok-solid); }
.note.ok h2 { color: var(--ok); }
.note.bad { background: var(--bad-soft); border-color: var(--bad-line); }
.note.bad::before { background: var(--bad-solid); border-radius: 2px; }
.note.bad h2 { color: var(--bad); }
.note small { font: 11px/16px var(--mono); color: var(--text-2); }
.over ol, .over .foot, .over .other, .over button { display: none; }
.foot { margin: 12px 4px 0; font-size: 12px; line-height: 16px; color: var(--text-3); }
@media (max-width: 480px) { body { padding: 24px 12px; } .card { padding: 20px 16px; } }
@media (prefers-reduced-motion: reduce) { button { transition: none; } }
`
