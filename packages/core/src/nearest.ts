/** The known name that was probably meant: the one with the fewest edits, if those are at most `most`. */
export function nearest(word: string, known: readonly string[], most = Number.POSITIVE_INFINITY): string | undefined {
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const edits = distance(word.toLowerCase(), name.toLowerCase());
    if (edits <= most && (best === undefined || edits < best.edits)) best = { name, edits };
  }
  return best?.name;
}

/** Edits between two names: insert, remove, replace, exchange two neighbours. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (y: number, x: number): number => (y === i ? row[x] : rows[y]?.[x]) ?? 0;
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchange = isExchange ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, exchange));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
