import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;

let folder: string;
let store: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-compare-'));
  store = join(folder, 'agents.sqlite');
  const db = await openSqliteStore({ path: store });
  const save = (task: string, id: string, state: object, more: object) =>
    db.save({ task, id, text: JSON.stringify({ key: SECRET, ...state }), ...more });
  const [first, second] = [{ parent: { task: 'run', id: 'one' } }, { parent: { task: 'run', id: 'two' } }];
  await save('run', 'one', { cache: true }, { description: 'plan' });
  await save('run', 'two', { cache: true, revenue: 4200 }, { description: 'fetch', tokenUsage: 12, ...first });
  await save('run', 'three', { cache: true, revenue: 4200 }, { description: 'report', status: 'failed', ...second });
  await save('run', 'fork', { cache: true, revenue: 4.2 }, { description: 'fetch', ...first });
  await save('again', 'only', { cache: true }, { description: 'plan' });
  await db.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const output = { json: args.includes('--json'), line: (text: string) => lines.push(text), note: () => undefined };
  process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, '.state');
  await (await createProgram({ version: '0.0.0', output })).parseAsync(['node', 'cli', ...args]);
  return lines.join('\n');
}

describe('compare', () => {
  it('shows two branches in words', async () => {
    const text = await run('compare', 'run/three', 'run/fork', '-s', store);
    expect(text).toMatch(/a\s+agents-sqlite\/run\s+main\s+failed\s+3\s+not reported\s+12/);
    expect(text).toContain('1 step the same in both.');
    expect(text).toContain('First difference $.revenue: a has 4200, b has 4.2');
    expect(text).toContain('#02 | #04  fetch  differs: 1 of 1');
    expect(text).toContain('#03 |   report  only in a');
    expect(text).toContain('At the end 1 value differs, 2 are equal.');
  });

  it('prints the answer of the API with --json, secrets masked', async () => {
    const text = await run('compare', 'run', 'again', '-s', store, '--json');
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({
      a: { task: 'run' },
      b: { task: 'again', steps: 1, lane: 'main' },
      rows: [{ verdict: 'same' }, { verdict: 'only-a' }],
    });
  });

  it('says what only one of them has', async () => {
    const text = await run('compare', 'run/two', 'again', '-s', store);
    expect(text).toContain('#02 |   fetch  only in a');
    const later = await run('compare', 'run/one', 'run/two', '-s', store);
    expect(later).toContain('First difference $.revenue: a has nothing, b has 4200');
  });

  it('says that nothing differs, and which name there is not', async () => {
    expect(await run('compare', 'again', 'again', '-s', store)).toContain('Nothing differs.');
    await expect(run('compare', 'run', 'nowhere', '-s', store)).rejects.toThrow('No checkpoint "nowhere"');
  });
});
