/** The page's own style: it uses nothing from elsewhere, in light and dark. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --bg: light-dark(#fff, #0d1117); --fg: light-dark(#1a1d23, #e3e8ef);
  --muted: light-dark(#5b626d, #97a1ae); --line: light-dark(#e5e7ea, #212933); --side: light-dark(#f8f8f9, #10151c);
  --link: light-dark(#1a56db, #7aa5f5); --write: light-dark(#7a2600, #e58a45); --remove: light-dark(#7c1c0e, #f0787e); }
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0 auto; max-width: 960px; padding: 32px 24px 64px; background: var(--bg); color: var(--fg);
  font: 15px/23px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
h1 { font-size: 26px; line-height: 34px; margin: 0 0 8px; }
h1 small { font-size: 15px; font-weight: 400; color: var(--muted); }
h2 { font-size: 20px; line-height: 28px; margin: 48px 0 4px; }
h3 { font-size: 15px; line-height: 22px; margin: 0; overflow-wrap: anywhere; }
p { margin: 4px 0 8px; }
a { color: var(--link); }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code { font: 13px/20px ui-monospace, Menlo, Consolas, monospace; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 16px; padding: 12px 0; border-block: 1px solid var(--line); }
article { margin: 16px 0; padding: 12px 16px; background: var(--side); border: 1px solid var(--line); border-radius: 8px; }
article:target { border-color: var(--link); }
.muted, caption { color: var(--muted); }
.method { display: inline-block; min-width: 52px; font: 600 12px/20px ui-monospace, Menlo, Consolas, monospace; color: var(--link); }
.method.post, .method.put, .method.patch { color: var(--write); }
.method.delete { color: var(--remove); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: 8px; font-size: 13px; line-height: 20px; }
caption { text-align: left; font-size: 12px; }
td { padding: 4px 12px 4px 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td:first-child { width: 22%; } td:nth-child(2) { width: 30%; }
`;
