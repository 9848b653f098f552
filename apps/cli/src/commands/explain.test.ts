import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Explanation } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import type { Terminal } from '../terminal.ts';
import { NOT_AS_EXPECTED } from '../output.ts';
import { noteOf } from './explain.ts';

const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;

let folder: string;
let store: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-explain-'));
  store = join(folder, 'agents.sqlite');
  const db = await openSqliteStore({ path: store });
  const save = async (task: string, at: number, state: object, status: 'completed' | 'failed' = 'completed') => {
    const parent = at === 1 ? {} : { parent: { task, id: `${task}-${at - 1}` } };
    const step = { stepIndex: at, description: `step ${at}`, status, ...parent };
    await db.save({ task, id: `${task}-${at}`, text: JSON.stringify(state), ...step });
  };
  const figures = { north: 51, south: 42, west: 37 };
  const wrong = { ...figures, south: 42_000 };
  await save('sales', 1, { figures: {}, key: SECRET });
  await save('sales', 2, { figures, key: SECRET });
  await save('sales', 3, { figures: wrong, key: SECRET });
  await save('sales', 4, { figures: wrong, key: SECRET, ranking: ['south', 'north', 'west'] });
  const lastError = { message: `the ranking contradicts the summary, key ${SECRET}` };
  await save('sales', 5, { figures: wrong, key: SECRET, ranking: ['south', 'north', 'west'], lastError }, 'failed');
  const lines = (width: number): string[] =>
    [12, 15, width, 11].map((cm, at) => `q${at} | series=Attic | reader=Anna | wall=clay and gravel | width_cm=${cm}`);
  await save('book', 1, { lines: lines(14) });
  await save('book', 2, { lines: lines(14), n: 2 });
  await save('book', 3, { lines: lines(1_400) });
  await save('book', 4, { lines: lines(1_400), n: 4 }, 'failed');
  await save('fine', 1, { n: 1 });
  await save('fine', 2, { n: 2 });
  await db.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void (process.exitCode = undefined));

const run = (...args: string[]): Promise<string> => runIn(undefined, ...args);

async function runIn(terminal: Terminal | undefined, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const output = {
    json: args.includes('--json'),
    line: (text: string) => lines.push(text),
    note: () => undefined,
    ...(terminal ? { terminal } : {}),
  };
  process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, '.state');
  await (await createProgram({ version: '0.0.0', output })).parseAsync(['node', 'cli', ...args]);
  return lines.join('\n');
}

describe('explain', () => {
  it('gives a line of text that changed as stored, in a terminal from where it differs', async () => {
    const whole = '"q2 | series=Attic | reader=Anna | wall=clay and gravel | width_cm=1400"';
    expect(await run('explain', 'book', store)).toContain(`lines[2]  ${whole.replace('1400', '14')} → ${whole}`);
    const narrow = await runIn({ width: 80, colours: false }, 'explain', 'book', store);
    expect(narrow).toContain('lines[2]  …width_cm=14" → …width_cm=1400"');
  });

  it('prints the answer of the API with --json, secrets masked', async () => {
    const text = await run('explain', 'sales', store, '--json');
    expect(text).not.toContain(SECRET);
    const answer = JSON.parse(text) as { writes: readonly object[] };
    expect(answer).toMatchObject({
      outcome: 'failed',
      error: { ref: { task: 'sales', id: 'sales-5' }, message: expect.stringContaining('contradicts the summary') },
      failingStep: { id: 'sales-5' },
      lastGood: { id: 'sales-4', back: 1 },
      examined: { n: 5, of: 5, gaps: [] },
    });
    expect(answer.writes).toContainEqual(
      expect.objectContaining({ path: '$.figures.south', before: '42', after: '42000' }),
    );
  });

  it('says it in words, in the order of the facts', async () => {
    const text = await run('explain', 'sales', '-s', store);
    expect(text).not.toContain(SECRET);
    const parts = [
      'sales failed at #05 step 5',
      'the ranking contradicts the summary',
      'Last good: #04 step 4, 1 step back.',
      'Go back:  checkpoint-inspector restore',
      'What this run wrote',
      '#03 step 3  figures.south  42 → 42000',
      '5 of 5 checkpoints examined',
    ];
    const places = parts.map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(text).toMatch(/restore .*sales\/sales-4/);
    expect(await run('diagnose', 'sales', '-s', store)).toBe(text);
  });

  it('takes the end of the branch, and has nothing to say against a healthy one', async () => {
    expect(await run('explain', 'sales', store, '--cp', 'sales-2')).toContain('Nothing failed in sales.');
    const healthy = await run('explain', 'fine', store);
    expect(healthy).toContain('Nothing failed in fine.');
    expect(healthy).not.toMatch(/Last good|Go back|Unusual/);
    const { outcome, unusual } = JSON.parse(await run('explain', 'fine', store, '--json')) as Record<string, unknown>;
    expect({ outcome, unusual }).toEqual({ outcome: 'completed', unusual: [] });
    await expect(run('explain', 'nobody', store)).rejects.toThrow(/No task "nobody"/);
  });

  it.each([
    ['$.figures.south=42000', undefined, /^figures\.south is 42000, as it should be/],
    ['figures.south=42', NOT_AS_EXPECTED, /^figures\.south should be 42: first broken at #03 step 3.* 42000/],
    ['.figures.west=99', NOT_AS_EXPECTED, /^figures\.west should be 99/],
    ['refund=true', NOT_AS_EXPECTED, /^refund should be true, but it was never written in this run/],
  ])('tells whether a value is what it should be: %s', async (expectation, code, words) => {
    expect(await run('explain', 'sales', store, '--expect', expectation)).toMatch(words);
    expect(process.exitCode).toBe(code);
  });

  it.each(['south', 'figures.south=4 2', '=1'])('refuses what is no expectation: %s', async (expectation) => {
    const refused = { code: 'invalid_input', remedy: expect.stringContaining("--expect '$.a.b=122'") };
    const asked = run('explain', 'sales', store, '--expect', expectation);
    await expect(asked).rejects.toThrow(expect.objectContaining(refused));
  });
});

describe('the note', () => {
  const at = (seq: number, description?: string) => ({
    task: 'sales',
    id: `s-${seq}`,
    seq,
    ...(description === undefined ? {} : { description }),
  });
  const found: Explanation = {
    task: 'sales',
    outcome: 'failed',
    kind: 'outside',
    error: { message: 'quota exceeded for items[0].price', ref: { task: 'sales', id: 's-9' } },
    failingStep: at(9, 'compile'),
    lastGood: { ...at(8, 'sum'), back: 1 },
    writes: [
      {
        ref: at(7, 'fetch'),
        path: '$.price',
        before: '122',
        after: '350',
        origin: { from: 'tool', name: 'search', ref: at(6) },
        more: 2,
      },
    ],
    named: [
      { text: 'items[0].price', path: '$.items[0].price', ref: at(7), before: '1', after: '2' },
      { text: 'refund' },
    ],
    against: {
      task: 'sales-2',
      end: { task: 'sales-2', id: 'x', seq: 12 },
      chosen: 'name',
      differs: [{ path: '$.token', here: { value: `"${SECRET}"`, ref: at(7) }, there: { value: '"none"' } }],
      missing: [{ call: 'cancel_order', args: '{"id":4}', ref: { task: 'sales-2', id: 'y', seq: 4 } }],
    },
    unusual: [{ ref: at(2, 'plan'), path: '$.fee', after: '-4', reason: 'Its 6 peers are positive.' }],
    note: 'Only a conversation was saved.',
    examined: { n: 8, of: 9, gaps: [{ ref: { task: 'sales', id: 's-5' }, seq: 5, reason: 'It is torn.' }] },
  };
  const note = (one: Explanation, width?: number): string[] => {
    const terminal = width === undefined ? {} : { terminal: { width, colours: false } };
    return noteOf(
      { json: false, line: () => undefined, note: () => undefined, ...terminal },
      one,
      ({ id }) => `restore ${id}`,
    );
  };

  it('has each fact once, under its heading', () => {
    expect(note(found)).toEqual([
      'sales failed at #09 compile',
      '  quota exceeded for items[0].price',
      'The error is the answer: go back to #08 and run again.',
      'Last good: #08 sum, 1 step back.',
      'Go back:  restore s-8',
      '',
      'What this run wrote',
      '  #07 fetch  price  122 → 350  from search, #06  +2 more',
      '',
      'The error names',
      '  items[0].price: last written in #07 s-7  1 → 2',
      '  refund: never written in this run',
      '',
      'Against sales-2, which ended at #12 x: the last good run of the same name',
      '  The other run called cancel_order({"id":4}) in #04; this run never did.',
      expect.stringMatching(/^ {2}token {2}here "sk-p•+#\w+", written in #07 {2}there "none"$/),
      '',
      'Unusual values',
      '  #02 plan  fee  added -4  Its 6 peers are positive.',
      '',
      'Only a conversation was saved.',
      "#05 can't be read, so it was not examined: It is torn.",
      '8 of 9 checkpoints examined',
    ]);
  });

  it('shows the newest writes on a terminal, and masks a value before it cuts it', () => {
    const writes = Array.from({ length: 30 }, (_none, n) => ({
      ref: at(30 - n),
      path: '$.key',
      after: `"${'x'.repeat(40)} ${SECRET}"`,
    }));
    expect(note({ ...found, writes }).filter((line) => line.includes('  key  '))).toHaveLength(30);
    const narrow = note({ ...found, writes }, 80);
    expect(narrow.filter((line) => line.includes('  key  '))).toHaveLength(10);
    expect(narrow.join('\n')).toContain('20 more');
    expect(narrow.join('\n')).not.toContain('sk-proj-a1');
  });

  it('offers no way back to where the failed step began, and none that is only unusual', () => {
    const { unusual: _unusual, ...known } = found;
    const wayBack = (one: Explanation) => note(one).filter((line) => /^(Go back|Last good)/.test(line));
    expect(wayBack({ ...known, unusual: [] })).toEqual(wayBack(found));
    expect(wayBack({ ...found, lastGood: { ...at(9, 'compile'), back: 0 } })).toEqual([
      'Last good: #09 compile, where the failed step began.',
    ]);
    expect(
      wayBack({
        task: 'sales',
        outcome: 'completed',
        writes: [],
        named: [],
        unusual: found.unusual,
        examined: found.examined,
      }),
    ).toEqual([]);
  });
});
