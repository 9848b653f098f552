import type { DiffSummary } from '@checkpoint-inspector/core';

const PARTS = [
  { key: 'added', glyph: '+' },
  { key: 'removed', glyph: '−' },
  { key: 'changed', glyph: '~' },
  { key: 'moved', glyph: '↕' },
] as const;

/** `+2 −1 ~3 ↕1`; kinds without a row are left out. */
export function DiffSum({ summary }: { readonly summary: DiffSummary }) {
  const parts = PARTS.filter(({ key }) => summary[key] > 0);
  return (
    <span className="diff-sum" data-testid="diff-sum">
      {parts.map(({ key, glyph }) => (
        <span key={key} title={`${summary[key]} ${key}`}>
          <i className={key} aria-hidden="true">
            {glyph}
          </i>
          {summary[key]}
          <span className="sr-only"> {key} </span>
        </span>
      ))}
    </span>
  );
}
