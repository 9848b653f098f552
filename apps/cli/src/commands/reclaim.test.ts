import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqlite } from '@checkpoint-inspector/io';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

const systems = (path: string): string =>
  fileURLToPath(new URL(`../../../../packages/systems/src/${path}`, import.meta.url));

let folder: string;
let store: string;

/** A store that LangGraph wrote, of which most threads were deleted. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-reclaim-'));
  store = join(folder, 'langgraph.sqlite');
  const from = systems('langgraph/fixtures/js.sqlite');
  for (const side of ['', '-wal', '-shm']) if (existsSync(from + side)) copyFileSync(from + side, store + side);
  withStore((db) => {
    for (const table of ['checkpoints', 'writes']) {
      db.exec(`DELETE FROM ${table} WHERE thread_id NOT IN (SELECT min(thread_id) FROM checkpoints)`);
    }
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function withStore<T>(work: (db: ReturnType<typeof openSqlite>) => T): T {
  const db = openSqlite(store, { readOnly: false });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const rows = () =>
  withStore((db) => ({
    checkpoints: db.prepare('SELECT * FROM checkpoints ORDER BY thread_id, checkpoint_ns, checkpoint_id').all(),
    writes: db.prepare('SELECT * FROM writes ORDER BY thread_id, checkpoint_ns, checkpoint_id, task_id, idx').all(),
    schema: db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all(),
  }));

const bytes = (): number => statSync(store).size;

async function run(...args: string[]): Promise<{ out: string; notes: string }> {
  const [lines, notes]: [string[], string[]] = [[], []];
  const output = {
    json: args.includes('--json'),
    line: (text: string) => void lines.push(text),
    note: (text: string) => void notes.push(text),
  };
  process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, '.state');
  const program = await createProgram({ version: '0.0.0', output });
  try {
    await program.parseAsync(['node', 'cli', ...args]);
  } catch (error) {
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { notes: notes.join('\n') });
  }
  return { out: lines.join('\n'), notes: notes.join('\n') };
}

describe('reclaim', () => {
  it('says what it does and that it is for good, and does nothing without --yes', async () => {
    const before = bytes();
    await expect(run('reclaim', store)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('needs --yes'),
      notes: expect.stringMatching(/on disk, .* left by deleted rows[^]*can't be undone[^]*Row ids may change/),
    });
    expect(bytes()).toBe(before);
  });

  it('gives the space back, and leaves every row of LangGraph as it is', async () => {
    const before = rows();
    expect(before.checkpoints.length).toBeGreaterThan(0);
    const size = bytes();
    const { out, notes } = await run('reclaim', store, '--yes');
    expect(notes).toContain("can't be undone");
    expect(out).toMatch(/^langgraph\.sqlite: [\d.]+ [kM]B before, [\d.]+ kB after$/);
    expect(bytes()).toBeLessThan(size / 2);
    expect(rows()).toEqual(before);
  });

  it('prints the bytes before and after with --json', async () => {
    const { out } = await run('reclaim', store, '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject({ after: bytes(), isLogKept: false });
  });

  it('refuses while an agent is writing, and changes nothing', async () => {
    const agent = openSqlite(store, { readOnly: false });
    agent.exec('BEGIN IMMEDIATE');
    const before = bytes();
    await expect(run('reclaim', store, '--yes')).rejects.toMatchObject({ code: 'busy' });
    agent.exec('ROLLBACK');
    agent.close();
    expect(bytes()).toBe(before);
  }, 30_000);

  it('refuses what is not SQLite', async () => {
    const kaizen = join(folder, 'kaizen');
    mkdirSync(kaizen);
    await cp(systems('kaizen/fixtures/plain'), kaizen, { recursive: true });
    await expect(run('reclaim', kaizen, '--yes')).rejects.toMatchObject({ code: 'unsupported' });
  });
});
