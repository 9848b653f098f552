/** So much of what two texts have in common is shown before they part. */
const BEFORE = 12;
/** Up to here both are shown from their beginning. */
const SHORT = 24;

/**
 * Two texts from shortly before the place where they part: on a line there is no room for all that they have in common.
 * Give them as they are shown, since half a secret has no shape.
 * @example fromWhereTheyPart('"In the last report it says 4.2"', '"In the last report it says 9"') // ['…report it says 4.2"', '…report it says 9"']
 */
export function fromWhereTheyPart(before: string, after: string): readonly [before: string, after: string] {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at++;
  if (at < SHORT || at === most) return [before, after];
  // At a blank where there is one: a word that begins alike is shown whole.
  const blank = before.lastIndexOf(' ', at - BEFORE);
  const start = at - blank <= 2 * BEFORE ? blank + 1 : at - BEFORE;
  return [`…${before.slice(start)}`, `…${after.slice(start)}`];
}
