/** The same letters in another order, one more or one less, or only the beginning. */
export function isSlipOf(known: string, value: string): boolean {
  if (known === value || value.length < 3 || known.length < 3) return false;
  const [a, b] = [known.toLowerCase(), value.toLowerCase()];
  if (a === b || a.startsWith(b) || b.startsWith(a)) return Math.abs(a.length - b.length) <= 4;
  const sorted = (text: string): string => text.split('').toSorted().join('');
  if (a.length === b.length) return sorted(a) === sorted(b) || (differing(a, b) === 1 && a.at(-1) === b.at(-1));
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  return long.split('').some((_, at) => long.slice(0, at) + long.slice(at + 1) === short);
}

const differing = (a: string, b: string): number => a.split('').filter((letter, at) => letter !== b[at]).length;
