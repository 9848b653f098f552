import type { SearchItem } from '../../lib/wire.ts';

type Snippet = NonNullable<SearchItem['snippet']>;

/** The snippet with no more than `before` characters before its first mark. */
export function nearMark(snippet: Snippet, before: number): Snippet {
  const cut = Math.max(0, (snippet.marks[0]?.start ?? 0) - before);
  if (cut === 0) return snippet;
  return {
    text: snippet.text.slice(cut),
    marks: snippet.marks.map(({ start, end }) => ({ start: start - cut, end: end - cut })),
    cutBefore: true,
    cutAfter: snippet.cutAfter,
  };
}
