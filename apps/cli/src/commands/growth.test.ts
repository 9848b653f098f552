import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;
const FILES = Array.from({ length: 200 }, (_, at) => `src/file-${at}.ts`);

let folder: string;
let store: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-growth-'));
  store = join(folder, 'agents.sqlite');
  const db = await openSqliteStore({ path: store });
  for (let at = 1; at <= 14; at++) {
    const text = JSON.stringify({ files: FILES, n: at, [SECRET]: true });
    await db.save({ task: 'report', id: `r-${at}`, text });
  }
  await db.save({ task: 'one', id: 'o-1', text: '{"n":1}' });
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

describe('growth', () => {
  it('says in words what takes the space, and what pruning would free', async () => {
    const text = await run('growth', 'report', store);
    expect(text).toMatch(/^report: 14 checkpoints, [\d.]+ kB$/m);
    expect(text).toMatch(/^files +[\d.]+ kB +9\d % +14 times, always the same value +[\d.]+ kB +[\d.]+ kB$/m);
    expect(text).toMatch(/^n +19 B +0 % +14 times, 14 different values +1?\d? *2 B$/m);
    expect(text).toMatch(/Keeping only the newest checkpoint would free up to [\d.]+ kB \(13 checkpoints\)\./);
    expect(text).toMatch(/Keeping only the newest 10 would free up to [\d.]+ kB \(4 checkpoints\)\./);
    expect(text).toContain('checkpoint-inspector prune agents-sqlite/report --keep-last 10 --dry-run -s ');
    expect(text).toContain('14 of 14 checkpoints read');
    expect(text).not.toContain(SECRET);
  });

  it('prints the answer of the API with --json', async () => {
    const text = await run('growth', 'report', '-s', store, '--json');
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({
      task: 'report',
      listed: { checkpoints: 14 },
      states: { entries: [{ key: 'files', checkpoints: 14, values: 1 }, {}, {}], rest: { entries: 0 } },
      examined: { n: 14, of: 14, gaps: [] },
      keeping: [
        { newest: 1, checkpoints: 13 },
        { newest: 10, checkpoints: 4 },
      ],
    });
  });

  it('shows as many entries as are asked for, and says that there are more', async () => {
    const text = await run('growth', 'report', store, '--limit', '1');
    expect(text).toContain('2 more: --limit <n>, or --limit all');
    expect(text).not.toMatch(/^n /m);
  });

  it('has nothing to prune where there is one checkpoint, and knows no other task', async () => {
    expect(await run('growth', 'one', store)).toContain('nothing to prune');
    await expect(run('growth', 'nobody', store)).rejects.toThrow(/No task "nobody"/);
  });
});
