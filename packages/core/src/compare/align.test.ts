import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignSteps, stepName, type StepPair } from './align.ts';

/** `a:b` by number, `-` for none. */
const told = (pairs: readonly StepPair[]): string => pairs.map(({ a = '-', b = '-' }) => `${a}:${b}`).join(' ');

describe('steps of two runs', () => {
  it.each([
    ['equal runs', 'plan fetch rank', 'plan fetch rank', '0:0 1:1 2:2'],
    ['a step that only b has', 'plan fetch rank', 'plan edit fetch rank', '0:0 -:1 1:2 2:3'],
    ['a step that only a has', 'plan edit rank', 'plan rank', '0:0 1:- 2:1'],
    ['a run that ends early', 'plan', 'plan fetch rank', '0:0 -:1 -:2'],
    ['one step in place of another', 'plan fetch rank', 'plan read rank', '0:0 1:1 2:2'],
    ['several in place of one', 'plan fetch rank', 'plan read sort rank', '0:0 1:- -:1 -:2 2:3'],
    [
      'a loop that runs once more',
      'think act think act end',
      'think act think act think act end',
      '0:0 1:1 2:2 3:3 -:4 -:5 4:6',
    ],
  ])('are matched: %s', (_, a, b, pairs) => {
    expect(told(alignSteps(a.split(' '), b.split(' ')))).toBe(pairs);
  });

  it('match where they are the same checkpoints, whatever they are called', () => {
    expect(told(alignSteps(['x', 'y', 'z'], ['y', 'x', 'z'], 2))).toBe('0:0 1:1 2:2');
  });

  it('are each there once and in order, and matched by name if that is how one run became the other', () => {
    const names = fc.array(fc.constantFrom('plan', 'fetch', 'rank', 'act', ''), { maxLength: 40 });
    fc.assert(
      fc.property(names, names, (a, b) => {
        const pairs = alignSteps(a, b);
        expect(pairs.flatMap((pair) => pair.a ?? [])).toEqual([...a.keys()]);
        expect(pairs.flatMap((pair) => pair.b ?? [])).toEqual([...b.keys()]);
      }),
    );
    fc.assert(
      fc.property(names, fc.array(fc.nat(40), { maxLength: 5 }), (a, places) => {
        const b: string[] = [...a];
        for (const place of places) b.splice(Math.min(place, b.length), 0, 'edit');
        const pairs = alignSteps(a, b);
        expect(pairs.filter((pair) => pair.a === undefined)).toHaveLength(b.length - a.length);
        for (const pair of pairs) if (pair.a !== undefined) expect(a[pair.a]).toBe(b[pair.b ?? -1]);
      }),
    );
  });

  it('stay linear in long runs that have most in common, and bounded in those that have nothing', () => {
    const long = Array.from({ length: 50_000 }, (_, at) => `step ${at}`);
    const edited = [...long.slice(0, 20_000), 'edit', ...long.slice(20_000, 40_000), ...long.slice(40_010)];
    const pairs = alignSteps(long, edited);
    expect([pairs.filter(({ a }) => a === undefined), pairs.filter(({ b }) => b === undefined).length]).toEqual([
      [{ b: 20_000 }],
      10,
    ]);
    expect(
      alignSteps(
        long,
        long.map((name) => `other ${name}`),
      ),
    ).toHaveLength(50_000);
  });
});

it('calls a step by its name, without what went wrong, and an edit by what it is', () => {
  expect(stepName({ description: 'compile: ranking inconsistent' })).toBe('compile');
  expect(stepName({ description: 'compile', trigger: 'auto' })).toBe('compile');
  expect(stepName({ description: 'edited $.a', trigger: 'edit' })).toBe(stepName({ trigger: 'edit' }));
  expect(stepName({})).toBe('');
});
