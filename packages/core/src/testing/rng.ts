/** Random numbers that are the same for the same seed, on every machine. */
export interface Rng {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number; both ends count. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Up to `count` of them, each once, in their order. */
  some<T>(items: readonly T[], count: number): T[];
}

/** A stream of its own for every list of parts: what one part of a run draws moves nothing in another. */
export function rngOf(...parts: readonly (string | number)[]): Rng {
  const next = stream(hash(parts.join('\u0000')));
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    const [item] = items.slice(int(0, items.length - 1));
    if (item === undefined) throw new Error('Nothing to pick from.');
    return item;
  };
  const some = <T>(items: readonly T[], count: number): T[] => {
    const ranked = items.map((item, at) => ({ item, at, rank: next() })).sort((a, b) => a.rank - b.rank);
    return ranked
      .slice(0, count)
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  };
  return { next, int, pick, some, chance: (probability) => next() < probability };
}

/** FNV-1a over code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** A Weyl sequence, each term mixed by multiply and shift. */
function stream(seed: number): () => number {
  let weyl = seed;
  return () => {
    weyl = (weyl + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(weyl ^ (weyl >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
