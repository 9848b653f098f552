import type { MaskedShape } from './redact.ts';

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
  readonly status: string;
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
<p>${escapeHtml(status)}</p>
<p class="muted">${head} The latest is ${escapeHtml(rule)}. Read only: this file holds no script and needs no network.</p>
<ul class="notes">${notes}</ul>
</header>
<main>
${body}
</main>
</body>
</html>
`;
}

function secretsNote(masked: readonly MaskedShape[], reveal: boolean): string {
  if (masked.length === 0) return 'No secret of a known shape was found.';
  const list = masked.map(({ name, count }) => `${count} × ${name}`).join(', ');
  return reveal ? `Secrets are shown as they are stored: ${list}.` : `Masked: ${list}.`;
}
