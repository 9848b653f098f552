import type { MaskedShape } from './types.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Stored text never becomes markup; control characters are spelled out. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (char) => ESCAPES[char] ?? char)
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

interface Page {
  readonly title: string;
  readonly style: string;
  /** Base64 of the style's sha256: the page's policy allows this style and nothing else. */
  readonly styleHash: string;
  /** Markup. */
  readonly head: string;
  readonly status: string | undefined;
  readonly rule: string;
  readonly reveal: boolean;
  readonly masked: readonly MaskedShape[];
  readonly left: readonly string[];
  /** Markup. */
  readonly body: string;
}

export function page({ title, style, styleHash, head, status, rule, reveal, masked, left, body }: Page): string {
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;
  const notes = [secretsNote(masked, reveal), ...left].map((note) => `<li>${escapeHtml(note)}</li>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
${status === undefined ? '' : `<p>${escapeHtml(status)}</p>`}
<p class="muted">${head}</p>
</header>
<main>
${body}
</main>
<footer>
<ul class="notes"><li>Latest checkpoint: ${escapeHtml(rule)}. Read only: this file contains no scripts and needs no network.</li>${notes}</ul>
</footer>
</body>
</html>
`;
}

function secretsNote(masked: readonly MaskedShape[], reveal: boolean): string {
  if (masked.length === 0) return 'No known kinds of secrets were found.';
  const list = masked.map(({ name, count }) => `${count} × ${name}`).join(', ');
  return reveal ? `Secrets are shown as stored: ${list}.` : `Masked: ${list}.`;
}

/** Colours are those of the inspector; the file brings its own so that it needs nothing else. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --bg: light-dark(#fff, #0d1117); --fg: light-dark(#1a1d23, #e3e8ef);
  --muted: light-dark(#5b626d, #97a1ae); --line: light-dark(#e5e7ea, #212933); --side: light-dark(#f8f8f9, #10151c);
  --added: light-dark(#1a56db, #5b8def); --removed: light-dark(#7a2600, #d9650b);
  --changed: light-dark(#8f7400, #fff08a); --moved: light-dark(#003b40, #8ff0ee); --failed: light-dark(#7c1c0e, #e0525f); --done: light-dark(#0b7a63, #5fe0b0); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 24px; background: var(--bg); color: var(--fg);
  font: 14px/21px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 24px; line-height: 32px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; line-height: 24px; margin: 32px 0 8px; }
h3 { font: 600 13px/20px ui-monospace, Menlo, Consolas, monospace; margin: 16px 0 4px; overflow-wrap: anywhere; }
p { margin: 0 0 4px; }
.muted, .sum { color: var(--muted); }
.notes { margin: 12px 0 0; padding: 12px 12px 12px 32px; background: var(--side); border-left: 3px solid var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-size: 12px; color: var(--muted); }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr.failed td:nth-child(2) { color: var(--failed); font-weight: 600; }
pre, details td, del { font: 12.5px/18px ui-monospace, Menlo, Consolas, monospace; }
pre { background: var(--side); padding: 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border-bottom: 1px solid var(--line); padding: 6px 0; }
summary { cursor: pointer; }
.sum { float: right; font: 12.5px/18px ui-monospace, Menlo, Consolas, monospace; }
td.added { color: var(--added); } td.removed { color: var(--removed); } td.changed, td.type-changed { color: var(--changed); }
td.moved { color: var(--moved); } td:first-child.added, td.removed, td.changed, td.moved, td.type-changed { width: 24px; }
ol { margin: 0; padding-left: 24px; }
code { font: 12.5px/18px ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.cause { margin-top: 24px; padding: 4px 20px 16px; border-left: 3px solid var(--failed); background: var(--side); break-after: page; }
.cause h2 { margin-top: 12px; } .cause h3 { font-family: inherit; font-size: 14px; }
.facts { display: grid; grid-template-columns: 1.4fr 1fr 1fr; margin: 12px 0 4px; border: 1px solid var(--line); background: var(--bg); }
.facts > div { padding: 10px 14px; } .facts > div + div { border-left: 1px solid var(--line); }
@media (max-width: 640px) { .facts { grid-template-columns: 1fr; } .facts > div + div { border-left: 0; border-top: 1px solid var(--line); } }
.done-list { margin: 0; padding-left: 20px; } .done-list li { margin-bottom: 4px; }
.run { display: block; width: 100%; max-width: 720px; height: auto; }
.run path { fill: none; stroke: var(--muted); stroke-width: 1.5; } .run path.fork { stroke-dasharray: 5 3; }
.run circle { fill: var(--bg); stroke: var(--muted); stroke-width: 1.5; }
.run circle.marked { fill: var(--fg); stroke: var(--fg); }
.run circle.failed, .run path.failed { stroke: var(--failed); } .run circle.done, .run path.done { stroke: var(--done); }
.run text { fill: var(--fg); font: 12px -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
.run text.number, .run text.strong { font: 11px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle; }
.run text.number { fill: var(--muted); } .run text.strong, .run text.lane { font-weight: 600; } .run .muted { fill: var(--muted); font-weight: 400; }
.run text.word { font-size: 11px; text-anchor: middle; } .run text.before { text-anchor: end; }
.lede { font-size: 17px; line-height: 26px; } .lede code { font-size: 15px; }
.failed-at { font-size: 16px; font-weight: 600; color: var(--failed); }
.cause .error { margin: 4px 0 0; padding: 0; background: none; font-weight: 600; }
.runs .ends td { width: 37%; } .runs .ends td:first-child { width: 26%; }
.runs .wide td { width: 44%; } .runs .wide td.muted:not(:first-child, :last-child) { width: 12%; }
.told li { margin-bottom: 6px; } .why { color: var(--muted); }
.chart { display: block; width: 100%; max-width: 720px; height: auto; }
.chart path { fill: none; stroke: var(--muted); stroke-width: 1.5; } .chart circle { fill: var(--bg); stroke: var(--muted); stroke-width: 1.5; }
.chart circle.marked { fill: var(--failed); stroke: var(--failed); }
.chart text { fill: var(--fg); font: 11px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle; }
@media print { :root { color-scheme: light; } body { padding: 0; } details, .facts, svg { break-inside: avoid; } }
`;
