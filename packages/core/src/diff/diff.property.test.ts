import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson, parsePath, parseJson, quoteJson, sourceOf, valueAt } from '../json/index.ts';
import { applyDifferences, diffJson } from './index.ts';

/** A JSON value as data from which different spellings can be written. */
type Value = { text: string } | { items: Value[] } | { members: [string, Value][] };

const KEYS = [
  'a',
  'b',
  'c',
  '',
  '__proto__',
  'constructor',
  'toString',
  'a.b',
  '_t',
  'id',
  'name',
  '0',
  'length',
  'é',
  '\ud800',
];
const SCALARS = [
  '0',
  '-0',
  '1',
  '1.0',
  '"0"',
  '12345678901234567890',
  '12345678901234567891',
  '1e400',
  'NaN',
  'null',
  'true',
  'false',
  '""',
  '"é"',
  '"e\u0301"',
  '"\\ud800"',
];

const scalar = fc
  .oneof(fc.constantFrom(...SCALARS), fc.integer({ min: 0, max: 5 }).map(String))
  .map((text): Value => ({ text }));
const key = fc.constantFrom(...KEYS);

/** Elements with an id from a small range, so that both sides share some; `kwargs` as LangChain nests it. */
function identified(value: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 7 });
  return fc
    .tuple(ids, fc.boolean(), fc.array(value, { minLength: 7, maxLength: 7 }))
    .map(([list, isNested, values]) => ({
      items: list.map((id, index): Value => {
        const member: [string, Value] = ['id', { text: `"m${id}"` }];
        const body: [string, Value] = ['v', values[index] ?? { text: '0' }];
        return isNested ? { members: [['kwargs', { members: [member, body] }]] } : { members: [body, member] };
      }),
    }));
}

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 6 }).map((items): Value => ({ items })),
    // Keys may occur twice.
    fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((members): Value => ({ members })),
    identified(tie('value')),
  ),
}));

/** One value and a variation of it: values changed, dropped, added, moved at any place. */
const pair = fc.tuple(value, value, fc.array(fc.nat(), { minLength: 1, maxLength: 40 })).map(([base, other, dice]) => {
  let at = 0;
  const roll = (sides: number): number => (dice[at++ % dice.length] ?? 0) % sides;
  return { before: write(base, false), after: write(vary(base, other, roll, 0), roll(2) === 1) };
});

function vary(base: Value, other: Value, roll: (sides: number) => number, depth: number): Value {
  if (depth > 6 || roll(9) === 0) return other;
  if ('text' in base) return base;
  if ('members' in base) {
    const members = base.members
      .filter(() => roll(6) !== 0)
      .map(([name, inner]): [string, Value] => [name, vary(inner, other, roll, depth + 1)]);
    if (roll(4) === 0) members.push(['added', other]);
    return { members: roll(3) === 0 ? members.toReversed() : members };
  }
  const items = base.items
    .filter(() => roll(6) !== 0)
    .map((inner) => (roll(3) === 0 ? vary(inner, other, roll, depth + 1) : inner));
  if (roll(3) === 0) items.splice(roll(items.length + 1), 0, other);
  if (roll(2) === 0 && items.length > 1) items.splice(roll(items.length), 0, ...items.splice(roll(items.length), 1));
  return { items };
}

/** Writes a value compactly, or with spaces. */
function write(base: Value, isWide: boolean): string {
  const [comma, colon, pad] = isWide ? [', ', ' : ', ' '] : [',', ':', ''];
  if ('text' in base) return base.text;
  if ('items' in base) return `[${pad}${base.items.map((item) => write(item, isWide)).join(comma)}${pad}]`;
  return `{${pad}${base.members.map(([name, inner]) => quoteJson(name, { ascii: isWide }) + colon + write(inner, isWide)).join(comma)}${pad}}`;
}

describe('diffJson and applyDifferences', () => {
  it('make one state of the other, both ways', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          pair,
          fc
            .record({ before: value, after: value })
            .map(({ before, after }) => ({ before: write(before, false), after: write(after, true) })),
        ),
        ({ before, after }) => {
          const forth = diffJson(before, after);
          expect(equalJson(applyDifferences(before, forth.items), after)).toBe(true);
          expect(forth.items.length === 0).toBe(equalJson(before, after));
          const back = diffJson(after, before);
          expect(equalJson(applyDifferences(after, back.items), before)).toBe(true);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('call nothing moved that stays at its place, however the others are shuffled', () => {
    const order = fc.integer({ min: 2, max: 12 }).chain((count) => {
      const items = Array.from({ length: count }, (_, index) => index % 9);
      return fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: 1 }), fc.boolean());
    });
    const textOf = (items: readonly number[], hasIds: boolean): string =>
      JSON.stringify(hasIds ? [...new Set(items)].map((id) => ({ id, name: `n${id}` })) : items);
    fc.assert(
      fc.property(order, ([items, shuffled, hasIds]) => {
        const [before, after] = [textOf(items, hasIds), textOf(shuffled, hasIds)];
        const rows = diffJson(before, after).items;
        expect(rows.filter(({ from, path }) => from === path)).toEqual([]);
        expect(equalJson(applyDifferences(before, rows), after)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('find nothing between a state and itself, however it is spelled', () => {
    fc.assert(
      fc.property(value, (state) => {
        const { items, equal } = diffJson(write(state, false), write(state, true));
        expect(items).toEqual([]);
        expect(equal).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('name places that are there, with the values that are there', () => {
    fc.assert(
      fc.property(pair, ({ before, after }) => {
        const sourceAt = (text: string, path: string): string | undefined => {
          const node = valueAt(text, parseJson(text), parsePath(path));
          return node && sourceOf(text, node);
        };
        for (const item of diffJson(before, after).items) {
          if (item.kind === 'removed') expect(sourceAt(before, item.path)).toBe(item.before);
          else expect(sourceAt(after, item.path)).toBe(item.after);
          if (item.from !== undefined) expect(sourceAt(before, item.from)).toBeDefined();
          expect(item.from).not.toBe(item.path);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
