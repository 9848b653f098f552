import { describe, expect, it } from 'vitest';
import { openCache } from '../cache/cache.ts';
import { fold, trigramQuery } from '../cache/fold.ts';
import { createMatcher, lastKey } from './matcher.ts';
import { snippetOf } from './snippet.ts';
import { ask, candidates, indexAll, KEY, line, type Saved } from '../testing/index-store.ts';
import { KIND } from '../cache/texts.ts';
import type { SearchCache } from '../cache/types.ts';

function filled(states: readonly unknown[], metas: readonly Saved['meta'][] = []): SearchCache {
  const cache = openCache();
  const saved = states.map((state, at) => ({
    id: `c${at + 1}`,
    seq: at + 1,
    text: typeof state === 'string' ? state : JSON.stringify(state),
    ...(metas[at] === undefined ? {} : { meta: metas[at] }),
  }));
  indexAll(cache.store(KEY), 'run', saved);
  return cache;
}

const lines = async (cache: SearchCache, query: string) => (await ask(cache, query)).map(line);

describe('what is found', () => {
  const state = {
    context: { revenue: { CompanyA: 5.1, CompanyB: 4200 }, summary: 'CompanyB leads with 4200 bn', cache: true },
    messages: [{ role: 'user', content: 'Rank "A" and\nB' }],
    n: 142_007,
    empty: {},
  };

  it('is the whole value first, then words, then parts', async () => {
    expect(await lines(filled([state]), '4200')).toEqual([
      '$.context.revenue.CompanyB 4200 c1..c1 x1',
      '$.context.summary "CompanyB leads with 4200 bn" c1..c1 x1',
      '$.n 142007 c1..c1 x1',
    ]);
  });

  it('is a key with what it holds, or that it holds more', async () => {
    const cache = filled([state]);
    expect(await lines(cache, 'revenue')).toEqual(['$.context.revenue  c1..c1 x1']);
    expect((await ask(cache, 'CompanyA')).map((found) => [found.in, line(found)])).toEqual([
      ['path', '$.context.revenue.CompanyA 5.1 c1..c1 x1'],
    ]);
    expect(await lines(cache, 'empty')).toEqual(['$.empty {} c1..c1 x1']);
    expect((await ask(cache, 'CompanyA'))[0]?.pathMarks).toEqual([{ start: 18, end: 26 }]);
  });

  it('holds every word, in the value or its path', async () => {
    const cache = filled([state]);
    expect(await lines(cache, 'CompanyB 4200 revenue')).toEqual(['$.context.revenue.CompanyB 4200 c1..c1 x1']);
    expect(await lines(cache, 'CompanyB 4200 -leads')).toEqual(['$.context.revenue.CompanyB 4200 c1..c1 x1']);
    expect(await lines(cache, 'CompanyB nowhere')).toEqual([]);
    expect(await lines(cache, 'b 42 leads')).toEqual(['$.context.summary "CompanyB leads with 4200 bn" c1..c1 x1']);
  });

  it('is found by a word too short for the index', async () => {
    expect(await lines(filled([state]), '5')).toEqual(['$.context.revenue.CompanyA 5.1 c1..c1 x1']);
    expect(await lines(filled([{ a: '語' }]), '語')).toEqual(['$.a "語" c1..c1 x1']);
  });

  it('is at its path: whole steps, whole numbers, parts of strings', async () => {
    const cache = filled([state]);
    const value = '$.context.revenue.CompanyB 4200 c1..c1 x1';
    for (const query of [
      'revenue.CompanyB:4200',
      '$.context.revenue.CompanyB:4200',
      '.CompanyB:4200',
      'REVENUE.companyb:4200',
    ])
      expect([query, await lines(cache, query)]).toEqual([query, [value]]);
    for (const query of [
      'revenue.CompanyB:420',
      'venue.CompanyB:4200',
      '$.revenue.CompanyB:4200',
      'Company:4200',
      'n:2',
    ])
      expect([query, await lines(cache, query)]).toEqual([query, []]);
    expect(await lines(cache, 'cache:true')).toEqual(['$.context.cache true c1..c1 x1']);
    expect(await lines(cache, 'content:rank')).toEqual(['$.messages[0].content "Rank \\"A\\" and\\nB" c1..c1 x1']);
    expect(await lines(cache, 'messages[0].content:rank')).toHaveLength(1);
    expect(await lines(cache, 'content:"rank"')).toEqual([]);
    expect(await lines(cache, 'role:"user"')).toHaveLength(1);
  });

  it('is text as it reads, not as JSON spells it', async () => {
    const cache = filled(['{"a":"\\u0041bc \\"x\\" caf\\u00e9","b":"\\ud800"}']);
    expect(await lines(cache, '"abc \\"x\\" CAFÉ"')).toEqual(['$.a "Abc \\"x\\" café" c1..c1 x1']);
  });

  it('keeps numbers as they are written', async () => {
    const cache = filled(['{"big":12345678901234567890,"one":1.0,"nan":NaN}']);
    expect(await lines(cache, '12345678901234567890')).toEqual(['$.big 12345678901234567890 c1..c1 x1']);
    expect(await lines(cache, 'one:1.0')).toHaveLength(1);
    expect(await lines(cache, 'one:1')).toEqual([]);
    expect(await lines(cache, 'nan:NaN')).toHaveLength(1);
  });
});

describe('filters', () => {
  const cache = filled(
    [{ a: 'word' }, { a: 'word' }, { a: 'word' }, { a: 'other' }],
    [
      { status: 'failed', agentId: 'Researcher', trigger: 'error', sizeBytes: 2_000, description: 'API timeout' },
      { status: 'completed', agentId: 'writer', sizeBytes: 20 },
      { status: 'failed', sizeBytes: 20 },
      { status: 'running' },
    ],
  );

  it.each([
    ['word status:failed', ['$.a "word" c1..c3 x2']],
    ['word status:failed status:completed', ['$.a "word" c1..c3 x3']],
    ['word -status:failed', ['$.a "word" c2..c2 x1']],
    ['word agent:research', ['$.a "word" c1..c1 x1']],
    ['word agent:"research"', []],
    ['word -agent:writer', ['$.a "word" c1..c3 x2']],
    ['word >1kB', ['$.a "word" c1..c1 x1']],
    ['word <1kB', ['$.a "word" c2..c3 x2']],
    ['word trigger:error', ['$.a "word" c1..c1 x1']],
    ['word after:2026-01-01T00:00:02 before:2026-01-01T00:00:03', ['$.a "word" c2..c2 x1']],
    ['word task:ru', ['$.a "word" c1..c3 x3']],
    ['word -task:run', []],
    ['timeout', [' API timeout c1..c1 x1']],
  ])('%s', async (query, expected) => {
    expect(await lines(cache, query)).toEqual(expected);
  });

  it('alone give checkpoints, the newest first', async () => {
    const found = await ask(cache, 'status:failed');
    expect(found.map(({ in: where, lastSeen }) => [where, lastSeen.ref.id])).toEqual([
      ['checkpoint', 'c3'],
      ['checkpoint', 'c1'],
    ]);
  });
});

describe('a search', () => {
  const cache = filled(Array.from({ length: 300 }, (_, n) => ({ n: `word ${n}` })));

  it('stops at its time and reports it', async () => {
    expect(await candidates(cache, 'word', { until: performance.now() })).toMatchObject({ cut: 'time' });
    expect(await candidates(cache, 'status:completed', { until: performance.now(), most: 10 })).toMatchObject({
      cut: 'count',
    });
  });

  it('stops at as many as are wanted and reports it', async () => {
    const { items, cut } = await candidates(cache, 'word', { most: 50 });
    expect([items.length, cut]).toEqual([50, 'count']);
    expect((await candidates(cache, 'word')).cut).toBeUndefined();
  });

  it('looks in the named stores only', async () => {
    expect(await candidates(cache, 'word', { stores: new Set(['another']) })).toEqual({ items: [] });
  });

  it('ends when nobody waits any longer', async () => {
    const pause = () => Promise.reject(new Error('gone'));
    const slow = filled(Array.from({ length: 3_000 }, (_, n) => ({ n: `word ${n}`, m: `more ${n}` })));
    await expect(candidates(slow, 'o', { pause, most: 10_000 })).rejects.toThrow('gone');
  });
});

describe('parts', () => {
  it('ask the index for some of the trigrams of a long word', () => {
    expect(trigramQuery('4200')).toBe('"420" "200"');
    expect(trigramQuery('a"b')).toBe('"a""b"');
    expect(trigramQuery('ab')).toBeUndefined();
    expect(trigramQuery('日本語')).toBe('"日本語"');
    expect((trigramQuery('x'.repeat(50) + 'y'.repeat(5_000)) ?? '').length).toBeLessThan(200);
    expect(fold('A\0É')).toBe('a é');
  });

  it('know the last key of a path', () => {
    expect(['$', '$.a', '$.a.b[3][4]', '$["x.y"]', '$.a["b c"][0]'].map(lastKey)).toEqual([
      '$',
      'a',
      'b',
      'x.y',
      'b c',
    ]);
  });

  it('cut a long text around its match, between whole characters', () => {
    const text = `${'😀 '.repeat(100)}needle${' tail'.repeat(100)}`;
    const marks = createMatcher([{ text: 'NEEDLE' }])?.marksIn(text) ?? [];
    const snippet = snippetOf(KIND.string, text, marks, false);
    expect(snippet).toMatchObject({ cutBefore: true, cutAfter: true });
    expect(snippet.marks.map(({ start, end }) => snippet.text.slice(start, end))).toEqual(['needle']);
    expect(snippet.text.isWellFormed()).toBe(true);
    expect(snippet.text.length).toBeLessThan(300);
    expect(snippetOf(KIND.scalar, '4200', [{ start: 0, end: 4 }], false)).toMatchObject({
      text: '4200',
      cutAfter: false,
    });
  });
});
