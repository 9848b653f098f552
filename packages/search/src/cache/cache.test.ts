import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '@checkpoint-inspector/io';
import { openCache } from './cache.ts';
import { KEY, ask, indexAll, line, metaOf, writeWaiting, type Saved } from '../testing/index-store.ts';
import type { SearchCache } from './types.ts';

let folder: string;
const open: SearchCache[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cache-test-'));
});
afterEach(() => {
  for (const cache of open.splice(0)) cache.close();
  rmSync(folder, { recursive: true, force: true });
});

function opened(options: Parameters<typeof openCache>[0] = { folder }): SearchCache {
  const cache = openCache(options);
  open.push(cache);
  return cache;
}

function closed(cache: SearchCache): void {
  open.splice(open.indexOf(cache), 1);
  cache.close();
}

const saved = (seq: number, state: unknown, meta: Saved['meta'] = {}): Saved => ({
  id: `c${seq}`,
  seq,
  text: JSON.stringify(state),
  meta,
});
const bytesIn = (name: string): string => readFileSync(join(folder, name), 'latin1');

describe('openCache', () => {
  it('keeps the index in a private file, and finds the same after it is opened again', async () => {
    const first = opened();
    indexAll(first.store(KEY), 'run', [saved(1, { a: 'needle' })]);
    expect(statSync(join(folder, 'cache.sqlite')).mode & 0o777).toBe(0o600);
    closed(first);
    const again = opened();
    expect((await ask(again, 'needle')).map(line)).toEqual(['$.a "needle" c1..c1 x1']);
    expect(again.store(KEY).waiting(1)).toEqual([]);
  });

  it.each([
    [
      'no database',
      () => writeFileSync(join(folder, 'cache.sqlite'), 'no database at all, of some length '.repeat(200)),
    ],
    ['damaged', () => damage(join(folder, 'cache.sqlite'))],
    ['of another format', () => reformat(join(folder, 'cache.sqlite'))],
  ])('makes a file again that is %s', async (_name, spoil) => {
    const first = opened();
    indexAll(first.store(KEY), 'run', [saved(1, { a: 'needle' })]);
    closed(first);
    spoil();
    const again = opened();
    expect(again.path).toBe(join(folder, 'cache.sqlite'));
    expect(again.store(KEY).tasks()).toEqual([]);
    indexAll(again.store(KEY), 'run', [saved(1, { a: 'needle' })]);
    expect(await ask(again, 'needle')).toHaveLength(1);
  });

  it('works in memory while another one has the file open', async () => {
    const first = opened();
    const second = opened();
    expect([first.path, second.path]).toEqual([join(folder, 'cache.sqlite'), undefined]);
    indexAll(second.store(KEY), 'run', [saved(1, { a: 'needle' })]);
    expect([await ask(first, 'needle'), await ask(second, 'needle')]).toMatchObject([[], [{ path: '$.a' }]]);
  });

  it('S59 has no secret of a known shape, not even one that is cut in two', async () => {
    const secret = `sk-ant-api03-${'a1B2'.repeat(8)}`;
    const cache = opened();
    const long = `${'x y '.repeat(4_997)} ${secret} tail`;
    indexAll(cache.store(KEY), 'run', [
      saved(1, { key: secret, [secret]: 1, long }, { description: `with ${secret}` }),
    ]);
    expect((await ask(cache, 'sk-a••••')).map(({ in: place }) => place).toSorted()).toEqual([
      'name',
      'path',
      'value',
      'value',
    ]);
    expect(await ask(cache, 'a1B2a1B2')).toEqual([]);
    closed(cache);
    expect(bytesIn('cache.sqlite').toLowerCase()).not.toContain('a1b2a1b2');
  });

  it('writes nothing more on a disk with too little room, and still finds what it has', async () => {
    const first = opened();
    indexAll(first.store(KEY), 'run', [saved(1, { a: 'needle' })]);
    closed(first);
    const cache = opened({ folder, leaveFree: Number.MAX_SAFE_INTEGER });
    const index = cache.store(KEY);
    const full = expect.objectContaining({ code: 'disk_full', message: expect.stringContaining('MB left') });
    expect(() => index.list('run', [metaOf('run', saved(2, {}))])).toThrow(full);
    expect(() => index.write([], 10)).toThrow(full);
    expect(await ask(cache, 'needle')).toHaveLength(1);
    indexAll(opened({ leaveFree: Number.MAX_SAFE_INTEGER }).store(KEY), 'run', [saved(1, {})]);
  });

  it('contains nothing on the disk when it is opened in memory', () => {
    const cache = opened({});
    indexAll(cache.store(KEY), 'run', [saved(1, { a: 'needle' })]);
    expect(cache.path).toBeUndefined();
    expect(() => statSync(join(folder, 'cache.sqlite'))).toThrow('ENOENT');
  });
});

describe('an index that follows its store', () => {
  it('knows when a value was first and last seen, and in how many checkpoints', async () => {
    const cache = opened();
    const states = [{ n: 1, q: 'same' }, { n: 2, q: 'same' }, { n: 2 }, { n: 2, q: 'same' }];
    indexAll(
      cache.store(KEY),
      'run',
      states.map((state, at) => saved(at + 1, state)),
    );
    expect((await ask(cache, 'same')).map(line)).toEqual(['$.q "same" c1..c4 x3']);
    expect((await ask(cache, 'n:2')).map(line)).toEqual(['$.n 2 c2..c4 x3']);
    expect((await ask(cache, 'q')).map(line)).toEqual(['$.q "same" c1..c4 x3']);
  });

  it('reads a checkpoint again that was saved again, and forgets one that is gone', async () => {
    const index = opened().store(KEY);
    const cache = open[0] ?? opened();
    indexAll(index, 'run', [saved(1, { a: 'old' }), saved(2, { a: 'old' })]);
    indexAll(index, 'run', [saved(1, { a: 'old' }), { ...saved(2, { a: 'young' }), id: 'c2' }]);
    expect((await ask(cache, 'old')).map(line)).toEqual(['$.a "old" c1..c1 x1']);
    expect((await ask(cache, 'young')).map(line)).toEqual(['$.a "young" c2..c2 x1']);
    indexAll(index, 'run', [saved(2, { a: 'young' })]);
    expect(await ask(cache, 'old')).toEqual([]);
    expect(index.counts()).toMatchObject({ of: 1, indexed: 1 });
    index.dropTask('run');
    expect(await ask(cache, 'young')).toEqual([]);
    expect(index.counts().of).toBe(0);
  });

  it('waits for those of the task with the newest checkpoint first, and of a task for its newest', () => {
    const index = opened().store(KEY);
    const list = (task: string, ...seqs: number[]) =>
      index.list(
        task,
        seqs.map((seq) => metaOf(task, saved(seq, {}))),
      );
    list('old', 3, 2, 1);
    list('young', 9, 4);
    const order = (most: number) => index.waiting(most).map(({ ref }) => `${ref.task} ${ref.id}`);
    expect(order(10)).toEqual(['young c9', 'young c4', 'old c3', 'old c2', 'old c1']);
    expect(order(3)).toEqual(['young c9', 'young c4', 'old c3']);
    expect(order(1)).toEqual(['young c9']);
  });

  it('counts what is locked, unreadable or waits, and says nothing of it as found', async () => {
    const cache = opened();
    const index = cache.store(KEY);
    const problem = (code: 'locked' | 'unreadable') => ({ problem: { code, message: `it is ${code}` } });
    const rows = [saved(1, { a: 'needle' }), saved(2, {}, problem('locked')), saved(3, {}, problem('unreadable'))];
    index.list(
      'run',
      rows.map((row) => metaOf('run', row)),
    );
    expect(index.counts()).toEqual({ of: 3, indexed: 0, partly: 0, locked: 1, unreadable: 1 });
    expect(await ask(cache, 'needle')).toEqual([]);
    writeWaiting(index, 'run', new Map([['c1', '{"a":"needle"}']]));
    expect(index.counts()).toEqual({ of: 3, indexed: 1, partly: 0, locked: 1, unreadable: 1 });
    index.list('run', [metaOf('run', saved(4, {}))]);
    const [last] = index.waiting(10);
    index.setUnread(last?.doc ?? 0, 'unreadable', 'torn');
    expect(index.counts()).toEqual({ of: 4, indexed: 1, partly: 0, locked: 1, unreadable: 2 });
    expect((await ask(cache, '>0')).map(({ lastSeen }) => lastSeen.ref.id)).toEqual(['c4', 'c3', 'c2', 'c1']);
  });

  it('does not run a span across a checkpoint that is read later', async () => {
    const cache = opened();
    const index = cache.store(KEY);
    indexAll(index, 'run', [
      saved(1, { a: 'x1' }),
      saved(2, {}, { problem: { code: 'unreadable', message: 'torn' } }),
      saved(3, { a: 'x1' }),
    ]);
    expect((await ask(cache, 'a:x1')).map(line)).toEqual(['$.a "x1" c1..c3 x2']);
    indexAll(index, 'run', [saved(1, { a: 'x1' }), saved(2, { a: 'other' }), saved(3, { a: 'x1' })]);
    expect((await ask(cache, 'a:x1')).map(line)).toEqual(['$.a "x1" c1..c3 x2']);
    expect((await ask(cache, 'other')).map(line)).toEqual(['$.a "other" c2..c2 x1']);
  });

  it('grows with what changes, not with what repeats', () => {
    const big = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`key${n}`, `a constant text of some length, ${n}`]),
    );
    const size = (count: number): number => {
      const cache = opened({});
      indexAll(
        cache.store(KEY),
        'run',
        Array.from({ length: count }, (_, n) => saved(n + 1, { ...big, n: n + 1 })),
      );
      return cache.sizeBytes();
    };
    const [ten, hundred] = [size(10), size(100)];
    // One row for the checkpoint, one for its number; nothing for the 200 texts.
    expect(hundred - ten).toBeLessThan(90 * 400);
  });

  it('writes a large state in slices, and what a crash left half is read again', async () => {
    const cache = opened();
    const index = cache.store(KEY);
    const text = JSON.stringify({
      rows: Array.from({ length: 20_000 }, (_, n) => ({ n, name: `row ${n}` })),
      end: 'needle',
    });
    index.list('run', [metaOf('run', { id: 'c1', text, seq: 1 })]);
    const [waiting] = index.waiting(1);
    expect(index.write([{ doc: waiting?.doc ?? 0, task: 'run', text }], 0)).toBe(0);
    expect(await ask(cache, 'rows')).toEqual([]);
    closed(cache);
    const again = opened();
    const anew = again.store(KEY);
    anew.list('run', [metaOf('run', { id: 'c1', text, seq: 1 })]);
    expect(writeWaiting(anew, 'run', new Map([['c1', text]]), 20)).toBeGreaterThan(1);
    expect((await ask(again, '"row 0"')).map(line)).toEqual(['$.rows[0].name "row 0" c1..c1 x1']);
    // 60,002 values and containers are more than one state may have in the index.
    expect(anew.counts()).toMatchObject({ indexed: 1, partly: 1 });
    expect(await ask(again, 'needle')).toEqual([]);
  });

  it('keeps a text that is not JSON as unreadable, with the place of the defect', () => {
    const index = opened().store(KEY);
    indexAll(index, 'run', [{ id: 'c1', text: '{"a": 1,', seq: 1 }]);
    expect(index.counts()).toMatchObject({ unreadable: 1, indexed: 0 });
  });
});

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xff, 100, 8192);
  writeFileSync(path, bytes);
}

function reformat(path: string): void {
  const db = openSqlite(path, { readOnly: false });
  db.pragma('user_version = 99');
  db.close();
}
