import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refKey, storeId } from '../ids.ts';
import type { LineageRow } from '../model.ts';
import { type Failure, goodAncestors, groupFailures, normaliseMessage } from '../index.ts';

const pattern = (text: string): string => normaliseMessage(text).pattern;
/** Parts that a careless expression would try in every way when they are repeated. */
const LONG = [
  "'",
  '"a',
  '/a',
  'a-',
  '1',
  '0x',
  '1,',
  'a.',
  'a@',
  '\\',
  ' at (',
  'AError: ',
  'Error: ab <',
  "E.Error('",
];

describe('normaliseMessage', () => {
  it.each([
    ['fetch_revenue: API timeout after 30 s', 'fetch_revenue: API timeout after <n> s'],
    ['took 1500ms, limit 1_000.5ms (150%)', 'took <n>ms, limit <n>ms (<n>%)'],
    ['tool loop: 12 calls of fetch', 'tool loop: <n> calls of fetch'],
    ['rate service: 503 after 3 tries', 'rate service: <n> after <n> tries'],
    ['HTTP 404 for https://a.example/x/1?q=2', 'HTTP 404 for <url>'],
    ['exit code 137', 'exit code 137'],
    ['{"error":{"message":"rate limit reached","type":"rate_limit_error"}}', 'rate limit reached'],
    ['{"type":"error","error":{"type":"overloaded_error"}}', 'overloaded_error'],
    ['{"detail":"no order 12"}', 'no order <n>'],
    ['{"error":"invalid api key","code":401}', 'invalid api key'],
    ['{"n":{}}', '{<text>:{}}'],
    ['status: 500', 'status: 500'],
    ['compile: ranking inconsistent', 'compile: ranking inconsistent'],
    [`no item "4711" in 'orders'`, 'no item <text> in <text>'],
    ["can't read the user's file", "can't read the user's file"],
    ['job 2f1e0c1a-9a53-4d0e-8c1b-0d6a1f2b3c4d gone', 'job <id> gone'],
    ['no ckpt_00000000102a', 'no <id>'],
    ['commit 3f2a9c1d was dirty', 'commit <id> was dirty'],
    ['at 2026-03-01T10:20:30.123Z and 10:20:30', 'at <time> and <time>'],
    ['ENOENT: /srv/data/run-7/state.json', 'ENOENT: <path>'],
    ['open C:\\agents\\run\\a.json', 'open <path>'],
    ['sent to ann@example.org', 'sent to <mail>'],
    ['segfault at 0xdeadbeef', 'segfault at <id>'],
    ['step_2 and feedback face', 'step_2 and feedback face'],
    ['LedgerError: API timeout after 20 s', 'API timeout after <n> s'],
    ['requests.exceptions.ReadTimeoutError: read timed out', 'read timed out'],
    ["KeyError: 'revenue'", 'KeyError: <text>'],
    ['ValueError: 12', 'ValueError: <n>'],
    [
      "TypeError('upstream returned HTML instead of JSON for https://a.example/x')",
      'upstream returned HTML instead of JSON for <url>',
    ],
    ['requests.ReadTimeoutError("it\'s \\"late\\" by 3 s",)', "it's <text> by <n> s"],
    ["KeyError('revenue')", 'KeyError(<text>)'],
    ["ValueError('a b') and ('c')", 'ValueError(<text>) and (<text>)'],
    ['', ''],
  ])('%s', (text, expected) => expect(pattern(text)).toBe(expected));

  it('leaves the trace out, and keeps what was said', () => {
    const node = 'Error: boom 1\n    at run (/srv/app.js:10:3)\n    at main (/srv/app.js:2:1)';
    const python = 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\nValueError: boom 1';
    expect(pattern(node)).toBe('Error: boom <n>');
    expect(pattern(python)).toBe('ValueError: boom <n>');
  });

  it('has one key for messages that differ in numbers, ids and case', () => {
    expect(normaliseMessage('Job 12 failed').key).toBe(normaliseMessage('job 9 failed').key);
    expect(normaliseMessage('job 12 failed').key).not.toBe(normaliseMessage('job 12 lost').key);
  });

  it('is the same for its own pattern, and never throws or runs long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(pattern(text)).toBe(pattern(text));
        expect(pattern(text).length).toBeLessThanOrEqual(text.length * 6 + 6);
      }),
    );
    for (const part of LONG)
      expect(
        growth((count) => pattern(part.repeat(count)), 96_000),
        part,
      ).toBeLessThan(LINEAR);
  });
});

const store = storeId('runs');
const failure = (task: string, id: string, more: Partial<Failure> = {}): Failure => ({
  at: { store, task, id },
  title: task,
  system: 'native',
  current: false,
  ...more,
});

describe('groupFailures', () => {
  it('counts checkpoints and tasks, and names the first, the last and the newest in its own words', () => {
    const groups = groupFailures([
      failure('a', '1', { message: 'timeout after 3 s', time: '2026-01-01T00:00:01Z' }),
      failure('b', '2', { message: 'timeout after 9 s', time: '2026-01-01T00:00:03Z', current: true }),
      failure('a', '3', { message: 'timeout after 4 s', time: '2026-01-01T00:00:02Z' }),
      failure('a', '4', { message: 'loop', time: '2026-01-02T00:00:00Z' }),
    ]);
    expect(groups.map(({ key, count, tasks, current }) => [key, count, tasks.length, current])).toEqual([
      ['timeout after <n> s', 3, 2, 1],
      ['loop', 1, 1, 0],
    ]);
    expect(groups[0]).toMatchObject({
      firstSeen: '2026-01-01T00:00:01Z',
      lastSeen: '2026-01-01T00:00:03Z',
      example: { at: { id: '2' }, message: 'timeout after 9 s' },
    });
    expect(groups[0]?.tasks.map(({ task, count, failed, current }) => [task, count, failed.id, current])).toEqual([
      ['b', 1, '2', true],
      ['a', 2, '3', false],
    ]);
  });

  it("shows a task's current failure, even where an older branch failed later", () => {
    const [group] = groupFailures([
      failure('a', 'branch', { message: 'x', time: '2026-01-02T00:00:00Z' }),
      failure('a', 'head', { message: 'x', time: '2026-01-01T00:00:00Z', current: true }),
    ]);
    expect(group?.tasks[0]).toMatchObject({ failed: { id: 'head' }, current: true, count: 2 });
    expect(group?.example.at.id).toBe('head');
  });

  it('is not moved by a failure that its task continued from', () => {
    const order = groupFailures([
      failure('a', '1', { message: 'x', time: '2026-01-01T00:00:00Z', current: true }),
      failure('b', '2', { message: 'y', time: '2026-01-02T00:00:00Z', current: true }),
      failure('live', '3', { message: 'x', time: '2026-01-03T00:00:00Z' }),
    ]);
    expect(order.map(({ key }) => key)).toEqual(['y', 'x']);
  });

  it('counts the failures of each of the last 24 hours', () => {
    const now = Date.parse('2026-01-02T12:00:00Z');
    const at = (id: string, time?: string) =>
      failure('a', id, { message: 'x', ...(time === undefined ? {} : { time }) });
    const [group] = groupFailures(
      [
        at('now', '2026-01-02T11:59:00Z'),
        at('ahead', '2026-01-02T12:30:00Z'),
        at('first hour', '2026-01-01T12:00:01Z'),
        at('too old', '2026-01-01T12:00:00Z'),
        at('no time'),
      ],
      now,
    );
    expect(group?.hours).toEqual([1, ...Array.from({ length: 22 }, () => 0), 2]);
  });

  it('keeps failures without a message and without a time', () => {
    expect(groupFailures([failure('a', '1'), failure('b', '2')])).toMatchObject([{ key: '', count: 2 }]);
    expect(groupFailures([])).toEqual([]);
  });
});

describe('goodAncestors', () => {
  const row = (id: string, parent?: string, status: LineageRow['status'] = 'completed'): LineageRow => ({
    id,
    ...(parent === undefined ? {} : { parent: { task: 'run', id: parent } }),
    kind: 'recorded',
    status,
    seq: 1,
    isLatest: false,
  });
  const from = (rows: readonly LineageRow[], id: string): string[] => {
    const byRef = new Map(rows.map((one) => [refKey({ task: 'run', id: one.id }), one]));
    const failed = byRef.get(refKey({ task: 'run', id }));
    return failed ? [...goodAncestors(failed, (ref) => byRef.get(refKey(ref)))].map((ref) => ref.id) : [];
  };

  it('goes over parents, not over the order of saves, and passes failures by', () => {
    const rows = [row('1'), row('2', '1'), row('other', '1'), row('3', '2', 'failed'), row('4', '3', 'failed')];
    expect(from(rows, '4')).toEqual(['2', '1']);
  });

  it('ends at a cycle, at a parent that is gone, and at a root', () => {
    expect(from([row('1', '2', 'failed'), row('2', '1', 'failed')], '1')).toEqual([]);
    expect(from([row('1', 'gone', 'failed')], '1')).toEqual([]);
    expect(from([row('1', undefined, 'failed')], '1')).toEqual([]);
  });
});
