import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Difference, diffJson, foldedLine, rankDiff } from '../index.ts';

function ranks(before: unknown, after: unknown): { ranked: string[]; folded: string[] } {
  const { ranked, folded } = rankDiff(diffJson(JSON.stringify(before), JSON.stringify(after)));
  return {
    ranked: ranked.map(({ path }) => path.slice(2)),
    folded: folded.map(({ item, why }) => `${item.path.slice(2)} ${why}`),
  };
}

/** A change that is always ranked, so that the others may be folded. */
const kept = (before: unknown, after: unknown) => ranks({ kept: true, x: before }, { kept: false, x: after });

describe('rankDiff', () => {
  it('tells types, jumps, errors, texts, small numbers, values, moves and the rest in this order', () => {
    const before = {
      rest: true,
      list: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      rate: 1.02,
      note: 'the plan was made',
      status: 'running',
      price: 4.2,
      shape: 'one',
    };
    const after = {
      rest: false,
      list: [{ id: 'c' }, { id: 'a' }, { id: 'b' }],
      rate: 1.05,
      note: 'the plan was mended',
      status: 'failed',
      price: 4200,
      shape: ['one'],
      added: 1,
    };
    expect(ranks(before, after).ranked).toEqual([
      'shape',
      'price',
      'status',
      'note',
      'rate',
      'added',
      'list[0]',
      'rest',
    ]);
  });

  it('tells the message of an error before the number of its step', () => {
    const before = { lastError: { stepIndex: 1, message: 'API timeout' } };
    const after = { lastError: { stepIndex: 4, message: 'TypeError: revenue is no number' } };
    expect(ranks(before, after).ranked).toEqual(['lastError.message', 'lastError.stepIndex']);
  });

  it('folds an account of tokens that begins, and no other object of numbers', () => {
    const usage = { input_tokens: 240, output_tokens: 19 };
    expect(ranks({ a: 1 }, { a: 9, usage }).folded).toEqual(['usage counter']);
    expect(ranks({ a: 1 }, { a: 9, stock: { apples: 240 } }).ranked).toContain('stock');
  });

  it.each([
    ['a thousandfold before twice', { a: 2, b: 4.2 }, { a: 6, b: 4200 }, ['b', 'a']],
    ['a turned sign before tenfold', { a: 7, b: 120 }, { a: 70, b: -118 }, ['b', 'a']],
    ['another unit before tenfold', { a: 7, b: '4.2 bn' }, { a: 70, b: '4.2 m' }, ['b', 'a']],
    ['money in other coin before threefold', { a: 7, b: '$12' }, { a: 21, b: '€12' }, ['b', 'a']],
    ['a jump before a number that became its text', { a: 0, b: 4.2 }, { a: '0', b: 4200 }, ['b', 'a']],
    ['a number that became its text before twice', { a: 20, b: 5 }, { a: 41, b: '5' }, ['b', 'a']],
    [
      'a text with more new words first',
      { a: 'one two three four', b: 'one two' },
      { a: 'one two three 4', b: 'six ten' },
      ['b', 'a'],
    ],
    ['a value that was filled after a small number', { a: null, b: 10.5 }, { a: 'plan', b: 11 }, ['b', 'a']],
  ])('%s', (_name, before, after, expected) => expect(ranks(before, after).ranked).toEqual(expected));

  it.each([
    [3, 4, 'counter'],
    [0, 1, 'counter'],
    [120, 124, 'counter'],
    ['2026-03-01T10:00:00Z', '2026-03-01T10:02:11Z', 'clock'],
    [1772359200, 1772359260.25, 'clock'],
    [1772359200000, 1772359260000, 'clock'],
    ['page_9', 'page_10', 'cursor'],
    ['1f0a3c5e7b9d2f4a', '2f0a3c5e7b9d2f4b', 'cursor'],
  ])('folds %j that became %j: a %s', (before, after, why) =>
    expect(kept(before, after)).toEqual({ ranked: ['kept'], folded: [`x ${why}`] }),
  );

  it.each([
    [4, 3],
    [1, 5],
    [100, 1000],
    [4.2, 5.2],
    [-1, 0],
    ['2026-03-01T10:00:00Z', '2026-03-01T09:00:00Z'],
    ['2026-03-01T10:00:00Z', '2027-03-01T10:00:00Z'],
    ['2026-03-01', '2026-03-02'],
    [1772359200, 1872359200],
    ['room 4', 'room 40'],
    ['10', '11'],
  ])('ranks %j that became %j', (before, after) => expect(kept(before, after).folded).toEqual([]));

  it('folds tokens that were counted up, and ranks ten times as many, fewer, and what is called otherwise', () => {
    const state = (input: number, more: object) => ({ usage: { input_tokens: input, ...more }, kept: input });
    const before = state(630, { totalTokens: 680, output: { tokens: 50 }, budget: 630, tokens: { cache: 0 } });
    const after = state(770, { totalTokens: 827, output: { tokens: 5_000 }, budget: 770, tokens: { cache: 90 } });
    expect(ranks(before, after)).toEqual({
      ranked: ['usage.output.tokens', 'usage.budget', 'kept'],
      folded: ['usage.input_tokens counter', 'usage.totalTokens counter', 'usage.tokens.cache counter'],
    });
    expect(ranks(state(9, {}), state(8, {})).folded).toEqual([]);
  });

  it('folds statuses of one kind, and never those that failed', () => {
    const plan = (...statuses: string[]) => ({ plan: statuses.map((status) => ({ status })), kept: statuses.length });
    const done = ranks(plan('pending', 'pending', 'open'), { ...plan('done', 'done', 'done'), kept: 9 });
    expect(ranks(plan('open'), { ...plan('done'), more: 1 }).ranked).toEqual(['more', 'plan[0].status']);
    expect(done).toEqual({
      ranked: ['kept', 'plan[2].status'],
      folded: ['plan[0].status status', 'plan[1].status status'],
    });
    const failed = ranks(plan('open', 'open'), plan('failed', 'failed'));
    expect(failed).toEqual({ ranked: ['plan[0].status', 'plan[1].status'], folded: [] });
  });

  it('folds nothing where nothing else changed', () => {
    expect(ranks({ step: 1, at: 5 }, { step: 2, at: 6 })).toEqual({ ranked: ['step', 'at'], folded: [] });
  });

  it('takes the step number of an error for a counter, its message for an error', () => {
    const error = (stepIndex: number, message: string) => ({ lastError: { stepIndex, message } });
    expect(ranks(error(2, 'API timeout'), error(4, 'ranking inconsistent'))).toEqual({
      ranked: ['lastError.message'],
      folded: ['lastError.stepIndex counter'],
    });
  });

  it('keeps every row once, in one order, however often it is asked', () => {
    const leaf = fc.oneof(
      fc.integer({ min: 0, max: 9 }),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(
        'done',
        'failed',
        'p_1',
        'p_2',
        '2026-03-01T10:00:00Z',
        '2026-03-01T10:00:01Z',
        '4 bn',
        '"',
        null,
      ),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
    );
    const state = fc.dictionary(fc.constantFrom('a', 'b', 'lastError', 'x.y', 'ü', ''), leaf);
    const list = fc.array(state, { maxLength: 5 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const diff = diffJson(JSON.stringify(before), JSON.stringify(after));
        const { ranked, folded } = rankDiff(diff);
        const all: Difference[] = [...ranked, ...folded.map(({ item }) => item)];
        expect(all).toHaveLength(diff.items.length);
        expect(new Set(all)).toEqual(new Set(diff.items));
        expect(rankDiff({ items: diff.items })).toEqual({ ranked, folded });
        expect(ranked.length > 0).toBe(diff.items.length > 0);
      }),
      { numRuns: 200 },
    );
  });

  it('takes time in proportion to the rows and their texts', () => {
    const items = (count: number): Difference[] =>
      Array.from({ length: count }, (_, at) => ({
        path: `$.rows[${at}].text`,
        kind: 'changed',
        before: JSON.stringify(`step ${at} ${'word '.repeat(at % 50)}`),
        after: JSON.stringify(`step ${at} ${'term '.repeat(at % 50)}`),
      }));
    expect(growth((size) => rankDiff({ items: items(size) }), 1_000)).toBeLessThan(LINEAR);
  });
});

describe('foldedLine', () => {
  it('names a few and counts the others', () => {
    const before = { cache_hits: 1, stepIndex: 4, plan: [{ status: 'open' }, { status: 'open' }], kept: 1 };
    const after = { cache_hits: 2, stepIndex: 5, plan: [{ status: 'done' }, { status: 'done' }], kept: 9 };
    const { folded } = rankDiff(diffJson(JSON.stringify(before), JSON.stringify(after)));
    expect(foldedLine(folded)).toBe('4 folded: cache_hits, stepIndex, 2 statuses');
    expect(foldedLine([])).toBe('');
  });

  it('counts a name that comes often once, and masks before it cuts', () => {
    const item = (path: string): Difference => ({ path, kind: 'changed', before: '1', after: '2' });
    const secret = `sk-${'a1B2'.repeat(12)}`;
    const paths = ['$.a[0].n', '$.a[1].n', '$.b', `$["${secret}"]`, '$.d', '$.e'];
    const line = foldedLine(paths.map((path) => ({ item: item(path), why: 'counter' })));
    expect(line).toMatch(/^6 folded: 2 × n, b, .*, 2 more$/);
    expect(line).not.toContain('a1B2a1B2');
  });
});
