const SUFFIX = /-(?:restored|fork|edit)-\d+$/;

/**
 * A readable id for a copy, free in the whole store. A copy of a copy counts
 * on instead of growing its name.
 * @example copyId('cp-1-restored-1', 'restored', taken) // 'cp-1-restored-2'
 */
export function copyId(id: string, kind: 'restored' | 'fork' | 'edit', taken: (id: string) => boolean): string {
  const base = id.replace(SUFFIX, '');
  for (let n = 1; ; n++) {
    const next = `${base}-${kind}-${n}`;
    if (!taken(next)) return next;
  }
}
