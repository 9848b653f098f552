/** The tokens of a search that are no path. */
export const TOKEN_NAMES = ['status', 'agent', 'task', 'store', 'system', 'trigger', 'before', 'after'] as const;

/** The token that a slip of the finger was meant for; `undefined` for what may well be a key of a state. */
export function meantName(name: string): string | undefined {
  const word = name.toLowerCase();
  if (!/^[a-z]{3,}$/.test(word)) return undefined;
  return TOKEN_NAMES.find((known) => isSlip(word, known));
}

const SAFE_LENGTH = 6;

/** One letter too many, too few, another, or two exchanged; the first one is right. */
function isSlip(word: string, known: string): boolean {
  if (word[0] !== known[0] || Math.abs(word.length - known.length) > 1) return false;
  let same = 0;
  while (same < word.length && word[same] === known[same]) same += 1;
  const [left, right] = [word.slice(same), known.slice(same)];
  if (left.length < right.length) return left === right.slice(1);
  if (left.length > right.length) return left.slice(1) === right;
  // Short words differ by one letter often enough: a score is no store.
  if (left.slice(1) === right.slice(1)) return known.length >= SAFE_LENGTH;
  return left === `${right[1] ?? ''}${right[0] ?? ''}${right.slice(2)}`;
}
