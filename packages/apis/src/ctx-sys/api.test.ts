import { openSqlite } from '@checkpoint-inspector/io';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  documentDdl,
  fixture,
  openSources,
  planState,
  projectDdl,
  temporaryFolder,
} from '@checkpoint-inspector/systems/testing/ctx-sys/test-store';
import {
  CheckpointedExecutor,
  CheckpointManager,
  createCtxSysCheckpointManager,
  openCheckpointDatabase,
  type AgentState,
  type ManagerOptions,
  type PlanStep,
} from './index.ts';

let folder: string;
const open: CheckpointManager[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const manager of open.splice(0)) manager.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = (name = 'agent.db'): string => join(folder, name);
async function managerOf(options: Partial<ManagerOptions> = {}): Promise<CheckpointManager> {
  const manager = await createCtxSysCheckpointManager({ path: path(), ...options });
  open.push(manager);
  return manager;
}
const stateAt = (currentStepIndex: number, more: object = {}): AgentState => ({
  query: 'q',
  plan: [],
  currentStepIndex,
  results: [],
  context: {},
  ...more,
});
const step = (id: string): PlanStep => ({ id, description: id, action: 'a', parameters: {}, status: 'pending' });

function cyclic(): object {
  const a: Record<string, unknown> = {};
  a['b'] = { a };
  return a;
}
function deep(): object {
  let value: object = {};
  for (let n = 0; n < 200_000; n++) value = { value };
  return value;
}

describe('bad input is a named error, and nothing is lost', () => {
  test.each([
    ['a cycle', { x: cyclic() }, '$.context.x.b.a'],
    ['NaN', { n: [1, Number.NaN] }, '$.context.n[1]'],
    ['Infinity', { n: -Infinity }, '$.context.n'],
    ['a BigInt', { n: 1n }, '$.context.n'],
    ['a function', { f: () => 1 }, '$.context.f'],
    ['a Map', { m: new Map() }, '$.context.m'],
    ['a Set', { m: new Set() }, '$.context.m'],
    ['undefined in an array', { list: [undefined] }, '$.context.list[0]'],
    ['an invalid Date', { d: new Date(Number.NaN) }, '$.context.d'],
    ['a symbol as key', { s: { [Symbol('x')]: 1 } }, '$.context.s'],
    ['bytes', { b: new Uint8Array(2) }, '$.context.b'],
  ])('%s, by its path', async (_, context, place) => {
    const manager = await managerOf();
    await manager.save('s', 'p', stateAt(1));
    const save = manager.save('s', 'p', stateAt(2, { context }));
    await expect(save).rejects.toMatchObject({ code: 'invalid_input', data: { path: place } });
    expect(await manager.list('s')).toHaveLength(1);
  });

  test('a state nested too deeply, and states that are none', async () => {
    const manager = await managerOf();
    await expect(manager.save('s', 'p', stateAt(1, { context: { deep: deep() } }))).rejects.toMatchObject({
      code: 'invalid_input',
    });
    for (const state of [null, 5, 'text', [], undefined]) {
      await expect(manager.save('s', 'p', state as unknown as AgentState)).rejects.toMatchObject({
        code: 'invalid_input',
      });
    }
    for (const index of [undefined, -1, 1.5, '1', 2 ** 53]) {
      const save = manager.save('s', 'p', stateAt(0, { currentStepIndex: index }));
      await expect(save).rejects.toMatchObject({ data: { name: 'currentStepIndex' } });
    }
    expect(await manager.list('s')).toEqual([]);
  });

  test('the same object twice is not a cycle; undefined members go, dates become text, -0 and __proto__ stay', async () => {
    const manager = await managerOf();
    const shared = { at: new Date('2026-01-01T00:00:00Z'), none: undefined };
    const context = JSON.parse('{"__proto__": {"own": 1}}') as Record<string, unknown>;
    const { id } = await manager.save('s', 'p', stateAt(1, { context: { a: shared, b: [shared], context, n: -0 } }));
    const loaded = (await manager.load(id))?.state.context;
    const text = { at: '2026-01-01T00:00:00.000Z' };
    expect(loaded).toMatchObject({ a: text, b: [text] });
    expect(Object.is(loaded?.['n'], -0)).toBe(true);
    expect(Object.entries(loaded?.['context'] as object)).toEqual([['__proto__', { own: 1 }]]);
  });

  test('ids: empty, no text, half a surrogate pair; hostile ones are stored as they are', async () => {
    const manager = await managerOf();
    for (const bad of ['', 5, undefined, null, '\ud800']) {
      const id = bad as string;
      const calls = [
        () => manager.save(id, 'p', stateAt(1)),
        () => manager.save('s', id, stateAt(1)),
        () => manager.loadLatest(id),
        () => manager.load(id),
        () => manager.list(id),
        () => manager.delete(id),
        () => manager.clearSession(id),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'invalid_input' });
    }
    for (const id of [
      '../x',
      "x'; DROP TABLE checkpoints; --",
      '__proto__',
      '\0nul',
      'Case',
      'case',
      'é',
      'e\u0301',
      'x'.repeat(300),
    ]) {
      await manager.save(id, 'p', stateAt(1));
      expect((await manager.loadLatest(id))?.sessionId).toBe(id);
      expect(await manager.list(id)).toHaveLength(1);
    }
  });

  test('options', async () => {
    const manager = await managerOf();
    const bad = [
      { triggerType: 'cron' },
      { durationMs: -1 },
      { durationMs: Number.NaN },
      { tokenUsage: 1.5 },
      { tokenUsage: -1 },
      { description: 5 },
    ];
    for (const options of bad) {
      const save = manager.save('s', 'p', stateAt(1), options as Parameters<CheckpointManager['save']>[3]);
      await expect(save).rejects.toMatchObject({ code: 'invalid_input' });
    }
    for (const days of [-1, Number.NaN, Infinity, '3' as unknown as number]) {
      await expect(manager.pruneByAge(days)).rejects.toMatchObject({ code: 'invalid_input' });
    }
  });

  test('a stored state that is not JSON, and a compressed one that is torn', async () => {
    const manager = await managerOf({ config: { compressState: true } });
    const { id } = await manager.save('s', 'p', stateAt(1, { context: { text: 'x'.repeat(10_000) } }));
    const database = openSqlite(path(), { readOnly: false });
    database.exec('UPDATE checkpoints SET state_json = substr(state_json, 1, 30)');
    await expect(manager.load(id)).rejects.toMatchObject({ code: 'unreadable' });
    database.exec('UPDATE checkpoints SET state_json = \'{"query"\'');
    await expect(manager.loadLatest('s')).rejects.toMatchObject({ code: 'unreadable', data: { offset: 8 } });
    expect(await manager.list('s')).toHaveLength(1);
    database.close();
  });

  test('a locked database is busy, and the save goes through later', async () => {
    const manager = await managerOf({ busyTimeoutMs: 20 });
    const other = openSqlite(path(), { readOnly: false });
    other.exec('BEGIN IMMEDIATE');
    await expect(manager.save('s', 'p', stateAt(1))).rejects.toMatchObject({ code: 'busy' });
    other.exec('COMMIT');
    await manager.save('s', 'p', stateAt(1));
    expect([(await manager.list('s')).length, manager.metrics().checkpoint_save_count]).toEqual([1, 1]);
    other.close();
  });

  test('a full disk is disk_full, and what was saved is there', async () => {
    const db = openCheckpointDatabase({ path: path() });
    const manager = new CheckpointManager(db);
    open.push(manager);
    for (let n = 0; n < 10; n++) await manager.save('s', 'p', stateAt(n));
    db.sqlite.pragma(`max_page_count = ${Number(db.sqlite.pragma('page_count'))}`);
    const big = stateAt(11, { context: { text: 'x'.repeat(1_000_000) } });
    await expect(manager.save('s', 'p', big)).rejects.toMatchObject({ code: 'disk_full' });
    expect((await manager.list('s')).map(({ stepNumber }) => stepNumber)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  test('a run without executeStep fails in the words of the document, and keeps what it had', async () => {
    const manager = await managerOf();
    const result = await new CheckpointedExecutor(manager).execute('s', 'p', [step('1')]);
    expect(result).toMatchObject({ success: false, error: 'executeStep must be implemented' });
    expect((await manager.loadLatest('s'))?.state).toMatchObject({
      plan: [{ id: '1', status: 'failed' }],
      lastError: { stepIndex: 0, message: 'executeStep must be implemented' },
    });
  });

  test('an executor whose save fails ends without success; the last good checkpoint is there', async () => {
    const manager = await managerOf();
    const plan = [step('1'), step('2')];
    const nan = await new CheckpointedExecutor(manager, ({ id }) => (id === '2' ? Number.NaN : id)).execute(
      's',
      'p',
      plan,
    );
    expect(nan).toMatchObject({ success: false, error: expect.stringContaining('NaN') });
    const latest = await manager.loadLatest('s');
    expect(latest?.state).toMatchObject({
      plan: [{ status: 'completed' }, { status: 'failed' }],
      results: [{ stepId: '1' }],
    });
    const poison = new CheckpointedExecutor(manager, (_, state) => void (state.context['n'] = 1n));
    expect(await poison.execute('t', 'p', plan)).toMatchObject({
      success: false,
      error: expect.stringContaining('BigInt'),
    });
    expect(await manager.list('t')).toEqual([]);
    const thrown = new CheckpointedExecutor(manager, () => Promise.reject('no error object'));
    expect(await thrown.execute('u', 'p', plan)).toMatchObject({ error: 'no error object' });
  });

  test('a checkpoint without a plan cannot be resumed; one without results can', async () => {
    const manager = await managerOf();
    const executor = new CheckpointedExecutor(manager, ({ id }) => id);
    const resume = (session: string) => executor.execute(session, 'p', [step('1')], { resumeFromCheckpoint: true });
    await manager.save('tool', 'p', stateAt(1));
    await manager.save('partial', 'p', { currentStepIndex: 1 } as AgentState);
    for (const session of ['tool', 'partial'])
      await expect(resume(session)).rejects.toMatchObject({ code: 'invalid_input' });
    await manager.save('plan', 'p', { currentStepIndex: 0, plan: [step('x')] } as AgentState);
    expect((await resume('plan')).state.results.map(({ stepId }) => stepId)).toEqual(['x']);
  });
});

describe('files', () => {
  test('a new file is ours: the inspector reads it, compressed states too', async () => {
    const manager = await managerOf({ config: { compressState: true } });
    const state = stateAt(1, { context: { text: 'x'.repeat(10_000) } });
    const { id } = await manager.save('s', 'p', state);
    const [source] = await openSources(path());
    const stored = await source?.state({ task: 's', id });
    expect(JSON.parse(stored?.text ?? '')).toEqual(state);
    expect((await source?.raw?.({ task: 's', id }))?.length).toBeLessThan(1000);
    expect(await source?.latest('s')).toMatchObject({ ref: { id }, basis: 'rule' });
    await source?.close?.();
  });

  test('two managers of one file see each other; a second opening changes nothing', async () => {
    const [a, b] = [await managerOf(), await managerOf()];
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? a : b).save('s', 'p', stateAt(n))));
    expect(await a.list('s')).toEqual(await b.list('s'));
    expect(await a.list('s')).toHaveLength(10);
  });

  test('a database of ctx-sys: saves go to the table of the project, and are its latest', async () => {
    copyFileSync(fixture, path('ctx-sys.db'));
    const manager = await managerOf({ path: path('ctx-sys.db'), projectId: 'other-2' });
    expect((await manager.loadLatest('etl-nightly'))?.projectId).toBe('other-2');
    const plan = JSON.parse(planState(6)) as AgentState;
    const saved = await manager.save('etl-nightly', 'other-2', plan, { description: 'ours' });
    const [, source] = await openSources(path('ctx-sys.db'));
    expect((await source?.latest('etl-nightly'))?.ref?.id).toBe(saved.id);
    await source?.close?.();
    await expect(manager.save('s', 'demo-app', plan)).rejects.toMatchObject({
      message: expect.stringContaining('project other-2'),
    });
    const loaded = await manager.load(saved.id);
    expect(loaded?.state.results[0]?.completedAt).toEqual(new Date('2026-01-01T00:00:00.000Z'));
  });

  test('a resumed run of the original continues here, in its table', async () => {
    copyFileSync(fixture, path('ctx-sys.db'));
    const manager = await managerOf({ path: path('ctx-sys.db'), projectId: 'demo-app' });
    const executor = new CheckpointedExecutor(manager, ({ id }) => `${id} here`);
    const result = await executor.execute('fails-first', 'demo-app', [], { resumeFromCheckpoint: true });
    expect(result.success).toBe(true);
    expect((await manager.list('fails-first'))[0]?.description).toBe('Execution complete');
    expect((await manager.loadLatest('fails-first'))?.state.lastError?.timestamp).toBeInstanceOf(Date);
  });

  test("a manager for a named project saves to its table, and for another name to the document's", async () => {
    const database = openSqlite(path('both.db'), { readOnly: false, create: true });
    database.exec(documentDdl + projectDdl('p_demo_checkpoints'));
    database.exec("INSERT INTO projects (id, name, path) VALUES ('demo', 'demo', '/demo')");
    const idsIn = (table: string) =>
      database
        .prepare<{ id: string }>(`SELECT id FROM ${table}`)
        .all()
        .map(({ id }) => id);
    const demo = await managerOf({ path: path('both.db'), projectId: 'demo' });
    const { id } = await demo.save('m', 'demo', stateAt(3));
    const unknown = await managerOf({ path: path('both.db'), projectId: 'elsewhere' });
    const other = await unknown.save('m', 'elsewhere', stateAt(3));
    expect([idsIn('p_demo_checkpoints'), idsIn('checkpoints')]).toEqual([[id], [other.id]]);
    database.close();
  });

  test('which project must be said where there are several', async () => {
    copyFileSync(fixture, path('ctx-sys.db'));
    const asked = (projectId?: string) => managerOf({ path: path('ctx-sys.db'), projectId });
    await expect(asked()).rejects.toMatchObject({ code: 'invalid_input', data: { projects: ['demo-app', 'other-2'] } });
    await expect(asked('none')).rejects.toMatchObject({ message: expect.stringContaining('no project "none"') });
    const database = openSqlite(path('ctx-sys.db'), { readOnly: false });
    database.exec('DROP TABLE p_other_2_checkpoints');
    database.close();
    await (await asked()).save('s', 'demo-app', stateAt(1));
  });

  test('compressState is refused in a database of ctx-sys, with the reason', async () => {
    copyFileSync(fixture, path('ctx-sys.db'));
    const options = { path: path('ctx-sys.db'), projectId: 'demo-app', config: { compressState: true } };
    await expect(managerOf(options)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('plain JSON'),
    });
  });

  test("another program's database is left alone; a missing parent table does not keep anyone from saving", async () => {
    const database = openSqlite(path('other.db'), { readOnly: false, create: true });
    database.exec('CREATE TABLE notes (x)');
    await expect(managerOf({ path: path('other.db') })).rejects.toMatchObject({
      message: expect.stringContaining('notes'),
    });
    database.exec(`CREATE TABLE checkpoints (id TEXT PRIMARY KEY, session_id TEXT REFERENCES sessions(id), step_number, created_at,
      state_json, description, trigger_type, duration_ms, token_usage)`);
    database.close();
    const manager = await managerOf({ path: path('other.db') });
    const { id } = await manager.save('s', 'p', stateAt(1));
    expect((await manager.load(id))?.projectId).toBe('');
  });

  test('times that are not dates stay as they are', async () => {
    const manager = await managerOf();
    const results = [{ stepId: '1', output: 1, completedAt: 'soon', durationMs: 1 }];
    const { id } = await manager.save('s', 'p', stateAt(1, { results, lastError: { message: 'm', timestamp: 5 } }));
    expect((await manager.load(id))?.state).toMatchObject({ results, lastError: { timestamp: 5 } });
  });
});
