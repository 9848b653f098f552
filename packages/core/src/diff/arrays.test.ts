import { describe, expect, it } from 'vitest';
import type { Alignment } from './arrays.ts';
import { alignArrays } from './arrays.ts';
import { Document } from './document.ts';

function align(before: string, after: string): Alignment {
  const [a, b] = [new Document(before), new Document(after)];
  if (a.root.kind !== 'array' || b.root.kind !== 'array') throw new Error('arrays were written');
  return alignArrays({ document: a, items: a.root.items }, { document: b, items: b.root.items }, () => true);
}

describe('alignArrays', () => {
  it('knows equal ends, changed elements and new ones', () => {
    expect(align('[1,2,{"a":1},5]', '[1, 2, {"a":2}, 7, 5]')).toEqual({
      places: [
        { to: 0, from: 0, equal: true },
        { to: 1, from: 1, equal: true },
        { to: 2, from: 2 },
        { to: 3 },
        { to: 4, from: 3, equal: true },
      ],
      removed: [],
    });
  });

  it('matches equal values however they are spelled', () => {
    const { places, removed } = align('[{"a":1,"b":2},"x","é"]', '["y", "\\u00e9", { "b": 2, "a": 1 }]');
    expect(places).toEqual([
      { to: 0, from: 1 },
      { to: 1, from: 2 },
      { to: 2, from: 0, moved: true },
    ]);
    expect(removed).toEqual([]);
  });

  it('matches elements with and without ids side by side', () => {
    const { places, removed } = align('[{"id":1,"v":0},"a",{"id":2},7]', '["a",{"id":3},7,{"id":1,"v":1},"b"]');
    expect(places).toEqual([
      { to: 0, from: 1 },
      { to: 1 },
      { to: 2, from: 3 },
      { to: 3, from: 0, moved: true },
      { to: 4 },
    ]);
    expect(removed).toEqual([2]);
  });

  it('has nothing to say about empty arrays', () => {
    expect(align('[]', '[ ]')).toEqual({ places: [], removed: [] });
    expect(align('[1,2]', '[]')).toEqual({ places: [], removed: [0, 1] });
  });
});
