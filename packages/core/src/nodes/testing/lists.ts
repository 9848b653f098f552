/** States with a list, each grown out of the one before: with ids or names, with elements that repeat. */
import type { Rng } from '../../testing/rng.ts';

type Item = Readonly<Record<string, unknown>> | number;

/** What elements have: each is an identity in some lists only. */
const SHAPES: readonly ((rng: Rng, n: number) => Item)[] = [
  (_, n) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(40) }),
  (rng, n) => ({ id: rng.int(0, 40), name: rng.pick(['search', 'read']), text: `text ${n}` }),
  (rng) => ({ name: rng.pick(['a', 'b', 'c']), text: `same ${rng.int(0, 3)}`.repeat(8) }),
  (_, n) => ({ kwargs: { id: `k${n}`, content: 'word '.repeat(60) }, type: 'ai' }),
  (rng) => rng.int(0, 4),
  (_, n) => ({
    n,
    inner: { list: Array.from({ length: 20 }, (__, at) => ({ id: at, text: `${at} ${n}`.repeat(9) })) },
  }),
];

export function grownLists(rng: Rng): readonly object[] {
  const shape = rng.pick(SHAPES);
  const fresh = (): Item => (rng.chance(0.9) ? shape : rng.pick(SHAPES))(rng, rng.int(0, 999));
  const list = Array.from({ length: rng.pick([3, 20, 60, 300]) }, fresh);
  const lists: (readonly Item[])[] = [list];
  for (let left = rng.int(1, 4); left > 0; left--) lists.push(grown(rng, lists.at(-1) ?? list, fresh));
  return lists.map((own) => ({ other: 1, list: own }));
}

function grown(rng: Rng, list: readonly Item[], fresh: () => Item): readonly Item[] {
  const at = rng.int(0, Math.max(0, list.length - 1));
  const one = list[at];
  if (one === undefined) return [fresh()];
  switch (rng.int(0, 8)) {
    case 0:
      return [...list, fresh()];
    case 1:
      return list.toSpliced(at, 0, fresh());
    case 2:
      return list.toSpliced(at, 0, one);
    case 3:
      return list.toSpliced(at, rng.int(1, 3));
    case 4:
      return list.with(at, fresh());
    case 5:
      return [...list.slice(1), fresh()];
    case 6:
      return list.toSpliced(at, 1).toSpliced(rng.int(0, list.length - 1), 0, one);
    default:
      return typeof one === 'object' ? list.with(at, { ...one, text: rng.int(0, 9) }) : list.with(at, rng.int(0, 4));
  }
}
