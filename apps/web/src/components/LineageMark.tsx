/** How the edge to the parent is known: arrow recorded, diamond sidecar, `?` inferred. */
export type LineageName = 'recorded' | 'sidecar' | 'inferred' | 'none';

export const LINEAGE_WORDS: Record<LineageName, string> = {
  recorded: 'recorded in the store',
  sidecar: 'kept in our journal',
  inferred: 'inferred from save order',
  none: 'no parent',
};

export function LineageMark({ kind, word = false }: { readonly kind: LineageName; readonly word?: boolean }) {
  if (kind === 'none') return word ? <span className="lineage">{LINEAGE_WORDS.none}</span> : null;
  return (
    <span className="lineage" title={word ? undefined : `Parent ${LINEAGE_WORDS[kind]}`}>
      <svg className="icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {kind === 'recorded' && <path d="M6 10V2.5M3 5.2l3-3 3 3" />}
        {kind === 'sidecar' && <path d="M6 1.5L10.5 6 6 10.5 1.5 6z" />}
        {kind === 'inferred' && <path d="M4.2 4.3c.1-1.3.9-1.9 1.9-1.9s1.9.7 1.9 1.7c0 1.5-2 1.6-2 3.2M6 9.6v.1" />}
      </svg>
      {word ? LINEAGE_WORDS[kind] : <span className="sr-only">Parent {LINEAGE_WORDS[kind]}</span>}
    </span>
  );
}
