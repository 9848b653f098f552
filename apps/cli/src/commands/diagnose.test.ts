import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import type { Terminal } from '../terminal.ts';

const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;

let folder: string;
let store: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-diagnose-'));
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

describe('diagnose', () => {
  it('gives a line of text that changed as stored, in a terminal from where it differs', async () => {
    const whole = '"q2 | series=Attic | reader=Anna | wall=clay and gravel | width_cm=1400"';
    expect(await run('diagnose', 'book', store)).toContain(`$.lines[2]  ${whole.replace('1400', '14')} → ${whole}`);
    const narrow = await runIn({ width: 80, colours: false }, 'diagnose', 'book', store);
    expect(narrow).toContain('$.lines[2]  …width_cm=14" → …width_cm=1400"');
  });

  it('prints the answer of the API with --json, secrets masked', async () => {
    const text = await run('diagnose', 'sales', store, '--json');
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({
      error: { checkpoint: { task: 'sales', id: 'sales-5' }, from: 'status' },
      lastGood: { ref: { id: 'sales-2' }, back: 3, holds: { from: { seq: 3 }, to: { seq: 4 } } },
      outcome: 'suspects',
      examined: { n: 5, of: 5, gaps: [] },
    });
    const { suspects } = JSON.parse(text) as { suspects: readonly object[] };
    expect(suspects[0]).toMatchObject({
      ref: { id: 'sales-3' },
      path: '$.figures.south',
      before: '42',
      after: '42000',
    });
  });

  it('says it in words: error, last good, causes with reasons, and how to go back', async () => {
    const text = await run('diagnose', 'sales', '-s', store);
    expect(text).toContain('sales failed at #05 step 5');
    expect(text).toContain('the ranking contradicts the summary');
    expect(text).not.toContain(SECRET);
    expect(text).toContain('Last good: #02 step 2, 3 steps back. #03 to #04 did not fail but hold the suspect value.');
    expect(text).toMatch(/1 {2}#03 step 3 {2}\$\.figures\.south {2}42 → 42000\n {3}1,000 times larger than before\./);
    expect(text).toMatch(/restore .*sales\/sales-2/);
    expect(text).toContain('5 of 5 checkpoints examined');
  });

  it('takes the end of the branch, and has nothing to say against a healthy one', async () => {
    expect(await run('diagnose', 'sales', store, '--cp', 'sales-2')).toContain('Nothing failed in sales.');
    expect(await run('diagnose', 'fine', store)).toContain('Nothing failed in fine.');
    expect(JSON.parse(await run('diagnose', 'fine', store, '--json'))).toMatchObject({
      outcome: 'healthy',
      suspects: [],
    });
    await expect(run('diagnose', 'nobody', store)).rejects.toThrow(/No task "nobody"/);
  });
});
