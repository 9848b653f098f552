import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffJson } from '../diff/index.ts';
import { formatPath } from '../json/index.ts';
import { rowsBetween } from './compare.ts';
import { Place } from './place.ts';
import { Survey } from './places.ts';
import { readTree } from './read.ts';
import { statesOfRun } from './testing/states.ts';
import { sourceOf } from './tree.ts';

/** The rows of states that share what did not change, told as a diff tells them. */
function shared(texts: readonly string[], ignore: readonly string[]): unknown[] {
  const top = new Place();
  let before: Survey | undefined;
  return texts.flatMap((text) => {
    const after = new Survey(readTree(text, before?.root), top);
    const rows = before ? rowsBetween(before, after, top, ignore) : [];
    before = after;
    return rows.map(({ kind, place, old, now }) => ({
      kind,
      path: formatPath(place.path),
      ...(old ? { before: sourceOf(old) } : {}),
      ...(now ? { after: sourceOf(now) } : {}),
    }));
  });
}

const diffs = (texts: readonly string[], ignore: readonly string[]): unknown[] =>
  texts
    .slice(1)
    .flatMap((text, at) => diffJson(texts[at] ?? '', text, { ignore }).items.filter(({ kind }) => kind !== 'moved'));

describe('rowsBetween', () => {
  it('tells the rows of a diff', () => {
    fc.assert(
      fc.property(statesOfRun, (texts) => {
        expect(shared(texts, [])).toEqual(diffs(texts, []));
      }),
      { numRuns: 400 },
    );
  });

  it('leaves out what is ignored, and takes no ignored id for an identity', () => {
    const ignore = ['$.list', '$.*[*].id', '$.first.**'];
    fc.assert(
      fc.property(statesOfRun, (texts) => {
        expect(shared(texts, ignore)).toEqual(diffs(texts, ignore));
      }),
    );
  });

  it('tells of duplicate keys what a diff tells', () => {
    const texts = [
      '{"a":1,"b":2,"a":3}',
      '{"a":1,"b":3,"a":4}',
      '{"a":2,"b":3,"a":4}',
      '{"b":3,"a":4}',
      '{"a":4,"b":3}',
    ];
    expect(shared(texts, [])).toEqual(diffs(texts, []));
  });

  it('finds entries by identity, by value and by their order', () => {
    const lists = [
      [1, 2, 3, 4, 5],
      [5, 1, 2, 9, 4],
      [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
        { id: 3, v: 3 },
      ],
      [{ id: 3, v: 3 }, { id: 1, v: 9 }, { id: 2, v: 2 }, { v: 4 }],
      [{ kwargs: { id: 'a' } }, { v: 4 }, { v: 4 }],
      [{ v: 4 }, { kwargs: { id: 'a', v: 1 } }, { v: 5 }, { v: 4 }],
    ];
    const texts = lists.map((list) => JSON.stringify({ list }));
    expect(shared(texts, [])).toEqual(diffs(texts, []));
  });
});
