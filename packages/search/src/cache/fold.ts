/** What makes letters of either case equal, in texts and in queries alike. */
export function fold(text: string): string {
  // The tokenizer of the index ends at a NUL.
  return text.toLowerCase().replaceAll('\0', ' ');
}

/** Shorter texts have no three characters in a row, which is what the index is made of. */
export const SHORTEST_INDEXED = 3;
const MOST_TRIGRAMS = 12;

/** The index query that finds every text that holds `folded`, and some others; `undefined` where it is too short. */
export function trigramQuery(folded: string): string | undefined {
  const letters = Array.from(folded);
  const last = letters.length - SHORTEST_INDEXED;
  if (last < 0) return undefined;
  const count = Math.min(last + 1, MOST_TRIGRAMS);
  const starts = Array.from({ length: count }, (_, n) => (count === 1 ? 0 : Math.round((n * last) / (count - 1))));
  const trigrams = starts.map((start) => letters.slice(start, start + SHORTEST_INDEXED).join(''));
  return [...new Set(trigrams)].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' ');
}

/** 53 bits of a text, enough to find it by; equal texts are compared in full where it matters. */
export function hashText(text: string, seed = 0): number {
  let a = 0xdeadbeef ^ seed;
  let b = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
