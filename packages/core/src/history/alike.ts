/** A word that is longer is shown from shortly before they differ. */
const WORD = 12;
/** Up to here both are shown from their beginning. */
const SHORT = 24;

/** Two values as they are sent: a long one is cut off, and its whole length is named. */
interface Sent {
  readonly before?: string;
  readonly after?: string;
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

/**
 * Two values from the word in which they differ: on a line there is no room for all that they have in common. One that
 * was cut off is given from its beginning: half a secret may be at its end, and has no shape.
 * @param shown masks a whole text
 * @example fromWhereTheyDiffer({ before: '"In the last report it says 4.2"', after: '"In the last report it says 9"' }, mask) // ['…4.2"', '…9"']
 */
export function fromWhereTheyDiffer(sent: Sent, shown: (text: string) => string): readonly [old: string, now: string] {
  const [before, after] = [shown(sent.before ?? ''), shown(sent.after ?? '')];
  if (sent.beforeLength !== undefined || sent.afterLength !== undefined) return [before, after];
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at++;
  if (at < SHORT || at === most) return [before, after];
  const blank = before.lastIndexOf(' ', at - 1);
  const start = at - blank <= WORD ? blank + 1 : at - WORD / 2;
  return [`…${before.slice(start)}`, `…${after.slice(start)}`];
}
