import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type SqlRow } from '@checkpoint-inspector/io';
import { LANGGRAPH_DDL, langgraphRow, langgraphWrite, newerId } from '@checkpoint-inspector/systems/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';

const TS = '2026-01-01T00:00:00Z';
const LONG = `upstream said no: ${'x'.repeat(500)}`;
const FAILED = '8f4b2c1e-0000-5000-8000-000000000001';
const DONE = '8f4b2c1e-0000-5000-8000-000000000002';

let folder: string;
let store: string;
let ids: readonly [string, string];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-beside-'));
  store = join(folder, 'graph.sqlite');
  const db = openSqlite(store, { readOnly: false, create: true });
  db.exec(LANGGRAPH_DDL);
  const insert = (table: string, row: SqlRow): void => {
    const names = Object.keys(row);
    const marks = names.map((name) => `:${name}`);
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks.join(', ')})`).run(row);
  };
  const { id: first } = newerId(undefined, 0, new Date(TS));
  const { id } = newerId(first, 1, new Date(TS));
  ids = [first, id];
  const common = { thread: 't', ts: TS, source: 'loop', values: { n: 1, 'branch:to:bad': null } } as const;
  insert('checkpoints', langgraphRow({ ...common, id: first, step: 0 }));
  const versions = { 'branch:to:bad': 2 };
  insert('checkpoints', langgraphRow({ ...common, id, parent: first, step: 1, versions }));
  const error = { name: 'TypeError', message: LONG };
  insert('writes', langgraphWrite({ thread: 't', id, taskId: FAILED, idx: -1, channel: '__error__', value: error }));
  insert('writes', langgraphWrite({ thread: 'gone', id, taskId: DONE, idx: 0, channel: 'log', value: ['done'] }));
  db.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const output = { json: args.includes('--json'), line: (text: string) => lines.push(text), note: () => undefined };
  process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, '.state');
  await (await createProgram({ version: '0.0.0', output })).parseAsync(['node', 'cli', ...args, '-s', store]);
  return lines.join('\n');
}

describe('a failed step', () => {
  it('is told by show --meta with its whole error, its node and what runs next', async () => {
    const text = await run('show', ids[1], '--meta');
    expect(text).toContain(`error: bad: TypeError: ${LONG}`);
    expect(text).toContain('next: bad');
    const answer: unknown = JSON.parse(await run('show', ids[1], '--meta', '--json'));
    expect(answer).toMatchObject({
      id: ids[1],
      status: 'failed',
      beside: { errors: [{ node: 'bad', text: `TypeError: ${LONG}` }], next: ['bad'] },
    });
  });

  it('is told by diff, though the two states are equal', async () => {
    expect(await run('diff', ids[0], ids[1])).toContain(`b failed: bad: TypeError: ${LONG}`);
    expect(JSON.parse(await run('diff', ids[0], ids[1], '--json'))).toMatchObject({
      errors: { b: [{ node: 'bad' }] },
    });
  });

  it('is told by errors in full', async () => {
    expect(await run('errors')).toContain(LONG);
  });
});

describe('a thread that has writes and no checkpoint', () => {
  it('is a task with no checkpoints, and list says why', async () => {
    expect(await run('tasks')).toMatch(/gone/);
    expect(await run('list', 'gone')).toContain('No checkpoint yet, only 1 write');
    expect(JSON.parse(await run('list', 'gone', '--json'))).toEqual({ items: [] });
    await expect(run('tree', 'gone')).resolves.toBeDefined();
  });
});
