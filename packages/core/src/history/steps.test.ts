import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { diffJson } from '../diff/diff.ts';
import { StepsBetween } from './steps.ts';

/** For each row of the whole diff: the steps that changed it, the newest first. */
function changedBy(...states: readonly unknown[]): Record<string, readonly number[]> {
  const texts = states.map((state) => JSON.stringify(state));
  const steps = texts.slice(1).map((text, index) => diffJson(texts[index] ?? '', text).items);
  const between = new StepsBetween(steps);
  const { items } = diffJson(texts[0] ?? '', texts.at(-1) ?? '');
  return Object.fromEntries(items.map((item) => [`${item.kind} ${item.path}`, between.of(item).at]));
}

describe('which step changed a row', () => {
  it('is the last one that did, with those before it', () => {
    expect(
      changedBy({ a: 1, b: 1, c: 1 }, { a: 2, b: 1, c: 1 }, { a: 2, b: 3, c: 2 }, { a: 2, b: 3, c: 3, d: 1 }),
    ).toEqual({
      'changed $.a': [0],
      'changed $.b': [1],
      'changed $.c': [2, 1],
      'added $.d': [2],
    });
  });

  it('counts what changed inside of an added value, and follows it to the name it had', () => {
    expect(
      changedBy(
        { revenue: { A: 5.1, B: 4.2 } },
        { revenue: { A: 5.1, B: 4200 } },
        { revenue: { A: 5.1, B: 4200 }, n: 1 },
        { normalized: { A: 5.1, B: 4200 }, n: 1 },
      ),
    ).toEqual({ 'removed $.revenue': [2, 0], 'added $.normalized': [2, 0], 'added $.n': [1] });
  });

  it('follows the elements of an array, whatever comes before them', () => {
    const [one, two, three] = [
      { id: 1, t: 'one' },
      { id: 2, t: 'two' },
      { id: 3, t: 'three' },
    ];
    const changed = { id: 3, t: 'other' };
    expect(changedBy([one, two, three], [one, two, changed], [two, changed])).toEqual({
      'removed $[0]': [1],
      'changed $[1].t': [0],
    });
    expect(changedBy([one, two], [{ id: 9, t: 'nine' }, one, two], [{ id: 9, t: 'nine' }, two])).toEqual({
      'added $[0]': [0],
      'removed $[0]': [1],
    });
  });

  it('tells a removal by the last step that removed it', () => {
    expect(changedBy({ x: 1, k: 0 }, { k: 0 }, { x: 2, k: 0 }, { k: 0 })).toEqual({ 'removed $.x': [2, 1, 0] });
  });

  it('ends where the value was replaced as a whole', () => {
    expect(changedBy({ a: { b: 1 } }, { a: { b: 2 } }, { a: 'none' }, { a: { b: 3 } })).toEqual({
      'changed $.a.b': [2],
    });
  });

  it('names no step beyond a state that cannot be read', () => {
    const between = new StepsBetween([[{ path: '$.a', kind: 'changed', before: '1', after: '2' }], undefined]);
    expect(between.of({ path: '$.a', kind: 'changed', before: '1', after: '2' })).toEqual({ at: [], whole: false });
    expect(between.of({ path: '$.b', kind: 'removed', before: '1' })).toEqual({ at: [], whole: false });
    const known = new StepsBetween([undefined, [{ path: '$.a', kind: 'changed', before: '1', after: '2' }]]);
    expect(known.of({ path: '$.a', kind: 'changed', before: '0', after: '2' })).toEqual({ at: [1], whole: false });
  });

  it('names a step for each row of states without arrays, and each of them changed the value', () => {
    const state = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 2, 'x', { a: 1 }, { a: 2, b: 1 }));
    fc.assert(
      fc.property(fc.array(state, { minLength: 2, maxLength: 6 }), (states) => {
        for (const [row, at] of Object.entries(changedBy(...states))) {
          expect(at.length, row).toBeGreaterThan(0);
          const key = /\$\.(\w)/.exec(row)?.[1] ?? '';
          const last = at[0] ?? 0;
          expect(states[last]?.[key]).not.toEqual(states[last + 1]?.[key]);
          // After the last change the top value under this row stays, but for a change beside it.
          if (!row.includes(`$.${key}.`))
            for (let later = last + 1; later + 1 < states.length; later++)
              expect(states[later]?.[key]).toEqual(states[later + 1]?.[key]);
        }
      }),
    );
  });
});
