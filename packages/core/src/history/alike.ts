/** A word that is longer is shown from shortly before they differ. */
const WORD = 12;
/** Up to here both are shown from their beginning. */
const SHORT = 24;

/**
 * Two texts from the word in which they differ: on a line there is no room for all that they have in common. Give them as
 * they are shown, since half a secret has no shape.
 * @example fromWhereTheyDiffer('"In the last report it says 4.2"', '"In the last report it says 9"') // ['…4.2"', '…9"']
 */
export function fromWhereTheyDiffer(before: string, after: string): readonly [before: string, after: string] {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at++;
  if (at < SHORT || at === most) return [before, after];
  const blank = before.lastIndexOf(' ', at - 1);
  const start = at - blank <= WORD ? blank + 1 : at - WORD / 2;
  return [`…${before.slice(start)}`, `…${after.slice(start)}`];
}
