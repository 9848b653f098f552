import type { SystemRequest, Plan } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { cutOffChange } from '@checkpoint-inspector/io/testing';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { planChange } from './plan.ts';
import { Project } from './project.ts';
import { archivedFrom, archiveName } from './rules.ts';
import {
  DEMO,
  documentDdl,
  fixture,
  insert,
  openFixture,
  openRows,
  openSources,
  projectDdl,
  rowOf,
  toolState,
  type TestStore,
} from './test-store.ts';

const TABLE = 'p_x_checkpoints';
let store: TestStore;
afterEach(() => store.close());

const rows = async (...all: Parameters<typeof openRows>[2][number][]): Promise<void> => {
  store = await openRows(projectDdl(TABLE), TABLE, all);
};
const ref = (id: string, task = 's') => ({ task, id });
const codes = (plan: Plan): string[] => plan.view.warnings.map(({ code }) => code);
const refused = (request: SystemRequest): Promise<{ code: string; message: string }> =>
  store.source.plan(request).then(
    () => ({ code: 'planned', message: '' }),
    (error: { code: string; message: string }) => error,
  );

async function idOf(rowid: number): Promise<string> {
  return store.database.prepare<{ id: string }>(`SELECT id FROM ${DEMO} WHERE rowid = ?`).get(rowid)?.id ?? '';
}

describe('undo puts every row back, rowids included', () => {
  const requests: readonly (readonly [string, string, number, (id: string, task: string) => SystemRequest])[] = [
    ['restore in an executor session', 'shadow', 35, (id, task) => ({ kind: 'restore', ref: { task, id } })],
    [
      'restore in a session of the MCP tool',
      'mcp-исследование',
      3,
      (id, task) => ({ kind: 'restore', ref: { task, id } }),
    ],
    [
      'restore into a new session',
      'long',
      25,
      (id, task) => ({ kind: 'restore', ref: { task, id }, targetTask: 'new' }),
    ],
    ['fork', 'release', 42, (id, task) => ({ kind: 'fork', ref: { task, id } })],
    ['delete', 'release', 9, (id, task) => ({ kind: 'delete', refs: [{ task, id }] })],
  ];
  test.each(requests)('%s', async (_, task, rowid, request) => {
    store = await openFixture();
    const before = store.dump();
    const plan = await store.source.plan(request(await idOf(rowid), task));
    expect(store.dump()).toBe(before);
    const undo = await store.apply(plan);
    expect(store.dump()).not.toBe(before);
    await undo();
    expect(store.dump()).toBe(before);
  });
});

test('a database whose agent was killed in the middle of a save can be changed at once', async () => {
  store = await openFixture();
  const killed = join(store.folder, 'killed.db');
  copyFileSync(fixture, killed);
  cutOffChange(killed, DEMO);
  const [source] = await openSources(killed);
  expect(source?.info.snapshot).toContain('was cut off');
  const ids = async () => ((await source?.checkpoints('shadow'))?.items ?? []).map(({ id }) => id);
  const before = await ids();
  const plan = await source?.plan({ kind: 'restore', ref: ref(await idOf(40), 'shadow') });
  const undo = await store.apply(plan ?? expect.fail());
  expect((await ids())[0]).toBe(await idOf(40));
  expect(source?.info.snapshot).toBeUndefined();
  await undo();
  expect(await ids()).toEqual(before);
  await source?.close?.();
});

describe('restore of a state with a plan', () => {
  test('moves exactly the rows that take precedence over it to an archive session, in rank order', async () => {
    store = await openFixture();
    const id = await idOf(40);
    const plan = await store.source.plan({ kind: 'restore', ref: ref(id, 'shadow') });
    expect(plan.view.moves.items.map((item) => item.ref.id)).toEqual(await Promise.all([39, 38, 37, 36, 41].map(idOf)));
    const archive = plan.view.moves.items[0]?.to.task ?? '';
    expect(archive).toMatch(/^shadow@archived-\d{4}-.*Z$/);
    expect(plan.view).toMatchObject({
      writes: { count: 0 },
      removes: { count: 0 },
      evicts: { count: 0 },
      bytesFreed: 0,
    });
    expect(plan.view.next).toContain('"shadow", projectId, plan, { resumeFromCheckpoint: true }');
    await store.apply(plan);
    const tasks = (await store.source.tasks()).items.filter((task) => task.id.startsWith('shadow'));
    expect(tasks.map((task) => [task.id, task.kind, task.checkpointCount]).sort()).toEqual([
      ['shadow', undefined, 4],
      [archive, 'archived', 5],
    ]);
  });

  test('says which steps run again', async () => {
    await rows(rowOf('a', 1), rowOf('b', 2), rowOf('c', 3), rowOf('d', 13));
    const message = async (id: string) =>
      (await store.source.plan({ kind: 'restore', ref: ref(id) })).view.warnings[0]?.message;
    expect(await message('a')).toMatch(/^Steps 2 to 12 run again/);
    store.database.exec(`DELETE FROM ${TABLE} WHERE id = 'd'`);
    expect(await message('b')).toMatch(/^Step 3 runs again/);
    insert(store.database, TABLE, rowOf('e', 3));
    expect(await message('c')).toBeUndefined();
  });

  test('the latest is refused: nothing needs to be written', async () => {
    await rows(rowOf('a', 1), rowOf('b', 2));
    expect(await refused({ kind: 'restore', ref: ref('b') })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('already the latest'),
    });
  });

  test('sets rows aside that cannot be read, but none without an id', async () => {
    await rows(rowOf('a', 1), rowOf('bad', 2, { state_json: 'x' }));
    const plan = await store.source.plan({ kind: 'restore', ref: ref('a') });
    expect(plan.view.moves.items.map((item) => item.ref.id)).toEqual(['bad']);
    insert(store.database, TABLE, { ...rowOf('x', 3), id: null });
    expect(await refused({ kind: 'restore', ref: ref('a') })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining("isn't text"),
    });
  });

  test('steps that are not numbers take precedence over every number, as in SQLite', async () => {
    await rows(
      rowOf('a', 1),
      { ...rowOf('word', 2), step_number: 'two' },
      { ...rowOf('other', 3), step_number: 'three' },
    );
    const { items } = (await store.source.plan({ kind: 'restore', ref: ref('a') })).view.moves;
    expect(items.map((item) => item.ref.id)).toEqual(['word', 'other']);
    const plan = await store.source.plan({ kind: 'restore', ref: ref('other') });
    expect(plan.view.latestAfter).toEqual(ref('other'));
    await store.apply(plan);
    expect((await store.source.latest('s')).ref).toEqual(ref('other'));
  });

  test('a second archive of the same millisecond gets a name of its own', async () => {
    const now = new Date('2026-11-21T13:40:00.123Z');
    const taken = new Set(['s@archived-2026-11-21T13-40-00-123Z']);
    const name = archiveName('s', now, (one) => taken.has(one));
    expect([name, archivedFrom(name)]).toEqual(['s@archived-2026-11-21T13-40-00-123Z-2', 's']);
    await rows(rowOf('a', 1));
  });

  test('a checkpoint of an archive is copied, not restored in place', async () => {
    await rows(rowOf('a', 1), rowOf('b', 2));
    const plan = await store.source.plan({ kind: 'restore', ref: ref('a') });
    await store.apply(plan);
    const archived = plan.view.moves.items[0]?.to ?? ref('none');
    expect(await refused({ kind: 'restore', ref: archived })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('archive of "s"'),
    });
    const copy = await store.source.plan({ kind: 'restore', ref: archived, targetTask: 'again' });
    await store.apply(copy);
    expect((await store.source.state(copy.view.latestAfter ?? ref('none')))?.text).toBe(
      (await store.source.state(archived))?.text,
    );
  });
});

describe('restore of a state without a plan', () => {
  const tool = (id: string, step: number, more = {}) =>
    rowOf(id, step, { state_json: toolState(step), trigger_type: 'manual', ...more });

  test('is refused where a step is not a number, and where the state is not an object', async () => {
    await rows(tool('a', 1), { ...tool('word', 2), step_number: 'two' }, tool('null', 1, { state_json: 'null' }));
    expect(await refused({ kind: 'restore', ref: ref('a') })).toMatchObject({
      message: expect.stringContaining('whole number'),
    });
    store.database.exec(`DELETE FROM ${TABLE} WHERE id = 'word'`);
    expect(await refused({ kind: 'restore', ref: ref('null') })).toMatchObject({
      message: expect.stringContaining("isn't a JSON object"),
    });
  });

  test('a partial state gets its step added; its own row stays', async () => {
    await rows(tool('a', 1, { state_json: '{"query":"q"}' }), tool('b', 2));
    const plan = await store.source.plan({ kind: 'restore', ref: ref('a') });
    expect([codes(plan), plan.view.next]).toEqual([[], 'the MCP tool checkpoint with action "load" and session "s"']);
    await store.apply(plan);
    expect(await store.source.latest('s')).toMatchObject({ ref: plan.view.latestAfter });
    expect((await store.source.state(plan.view.latestAfter ?? ref('')))?.text).toBe(
      '{"query":"q","currentStepIndex":3}',
    );
    expect(plan.view.sidecar).toEqual([{ child: plan.view.latestAfter, parent: ref('a') }]);
  });

  test('warns where others of the session have a plan, where it is active, and of one that goes', async () => {
    const saved = Array.from({ length: 8 }, (_, n) => tool(`t${n}`, n + 2));
    await rows(rowOf('run', 1, { created_at: new Date().toISOString() }), ...saved, tool('last', 11));
    store.database.exec(`UPDATE ${TABLE} SET created_at = '${new Date().toISOString()}' WHERE id = 'last'`);
    const plan = await store.source.plan({ kind: 'restore', ref: ref('t0') });
    expect(codes(plan)).toEqual(['no_plan', 'evicts', 'agent_active']);
    expect(plan.view.warnings[1]?.message).toContain('2 checkpoints');
    store.database.exec(`DELETE FROM ${TABLE} WHERE id = 't7'`);
    const less = await store.source.plan({ kind: 'restore', ref: ref('t0') });
    expect(less.view.warnings[1]?.message).toContain('1 checkpoint ');
  });

  test('in a session where nothing else can be read, there is no head to protect', async () => {
    await rows(tool('a', 1));
    const plan = await store.source.plan({ kind: 'restore', ref: ref('a') });
    expect([codes(plan), plan.view.protected.count]).toEqual([['already_latest'], 1]);
    store.database.exec(`UPDATE ${TABLE} SET state_json = 'xx'`);
    expect(await refused({ kind: 'restore', ref: ref('a') })).toMatchObject({ code: 'unreadable' });
  });
});

describe('copy into a new session', () => {
  test('is the state byte for byte, alone and the latest there; names count on', async () => {
    await rows(rowOf('a', 1), rowOf('b', 2), rowOf('tool', 3, { state_json: toolState(3) }));
    const first = await store.source.plan({ kind: 'fork', ref: ref('a'), id: 'mine' });
    expect(first.view).toMatchObject({ targetTask: 's-fork', latestAfter: ref('mine', 's-fork') });
    await store.apply(first);
    expect((await store.source.state(ref('mine', 's-fork')))?.text).toBe((await store.source.state(ref('a')))?.text);
    const second = await store.source.plan({ kind: 'fork', ref: ref('tool') });
    expect([second.view.targetTask, second.view.next]).toEqual([
      's-fork-2',
      'the MCP tool checkpoint with action "load" and session "s-fork-2"',
    ]);
  });

  test('refuses empty names, sessions that exist and ids that are taken', async () => {
    await rows(rowOf('a', 1), rowOf('b', 1, { session_id: 't' }));
    const fork = (more: object) => refused({ kind: 'fork', ref: ref('a'), ...more });
    for (const more of [{ targetTask: '' }, { id: '' }, { targetTask: 't' }, { id: 'b' }, { targetTask: 's' }]) {
      expect(await fork(more)).toMatchObject({ code: 'invalid_input' });
    }
    expect(await refused({ kind: 'restore', ref: ref('a'), targetTask: 't' })).toMatchObject({ code: 'invalid_input' });
  });
});

describe('a row that goes while it is planned', () => {
  test.each(['text', 'bytes'] as const)('is named as changed (%s)', async (part) => {
    await rows(rowOf('a', 1, { created_at: null }), rowOf('b', 2));
    const project = new Project(openSqlite(store.path, { readOnly: true }), TABLE);
    const context = { store: store.source.info.id, path: store.path, project, now: new Date() };
    expect((await planChange(context, { kind: 'restore', ref: ref('a') })).view.latestAfter).toEqual(ref('a'));
    if (part === 'text') project.text = async () => undefined;
    else project.bytes = () => undefined;
    await expect(planChange(context, { kind: 'restore', ref: ref('a') })).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringContaining('removed in the meantime'),
    });
  });
});

describe('delete', () => {
  test('of the latest says what resumes then; of all, that the session goes', async () => {
    await rows(rowOf('a', 1), rowOf('bad', 2, { state_json: 'x' }), rowOf('b', 3));
    const plan = await store.source.plan({ kind: 'delete', refs: [ref('b'), ref('b')] });
    expect([codes(plan), plan.view.latestAfter, plan.view.removes.count]).toEqual([['latest_changes'], ref('a'), 1]);
    expect(plan.view.bytesFreed).toBeGreaterThan(0);
    const readable = await store.source.plan({ kind: 'delete', refs: [ref('a'), ref('b')] });
    expect([codes(readable), readable.view.latestAfter]).toEqual([['latest_changes'], undefined]);
    expect(readable.view.warnings[0]?.message).toContain('No readable checkpoint');
    const all = await store.source.plan({ kind: 'delete', refs: ['a', 'b', 'bad'].map((id) => ref(id)) });
    expect(codes(all)).toEqual(['task_emptied']);
    await store.apply(all);
    expect(await store.source.latest('s')).toEqual({ basis: 'none' });
  });

  test('of an older one changes nothing else, while the agent is active too', async () => {
    await rows(rowOf('a', 1), rowOf('b', 2, { created_at: new Date().toISOString() }));
    expect(codes(await store.source.plan({ kind: 'delete', refs: [ref('a')] }))).toEqual(['agent_active']);
  });

  test('refuses none, several sessions, and a row without an id', async () => {
    await rows(rowOf('a', 1), rowOf('b', 1, { session_id: 't' }), { ...rowOf('x', 2), id: null });
    expect(await refused({ kind: 'delete', refs: [] })).toMatchObject({ code: 'invalid_input' });
    expect(await refused({ kind: 'delete', refs: [ref('a'), ref('b', 't')] })).toMatchObject({ code: 'invalid_input' });
    expect(await refused({ kind: 'delete', refs: [ref('rowid 3')] })).toMatchObject({ code: 'unsupported' });
    expect(await refused({ kind: 'delete', refs: [{ ...ref('a'), namespace: 'n' }] })).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('what happened after the preview stops the change, and nothing is written', () => {
  test.each(['restore', 'copy'] as const)('%s', async (kind) => {
    const state = kind === 'copy' ? { state_json: toolState(1) } : {};
    await rows(rowOf('a', 1, state), rowOf('b', 2, state), rowOf('low', 0));
    const plan = await store.source.plan({ kind: 'restore', ref: ref('a') });
    insert(store.database, TABLE, rowOf('shadowed', 0));
    const before = store.dump();
    await expect(store.apply(plan)).rejects.toMatchObject({ code: 'head_moved' });
    store.database.exec(`DELETE FROM ${TABLE} WHERE id IN ('shadowed', 'a')`);
    await expect(store.apply(plan)).rejects.toMatchObject({ code: 'changed' });
    insert(store.database, TABLE, rowOf('shadowed', 0));
    expect(store.dump()).not.toBe(before);
  });

  test('undo is refused while one of its rows is not as it left it', async () => {
    await rows(rowOf('a', 1), rowOf('b', 2));
    const undo = await store.apply(await store.source.plan({ kind: 'restore', ref: ref('a') }));
    const before = store.dump();
    store.database.exec(`UPDATE ${TABLE} SET description = 'changed' WHERE id = 'b'`);
    await expect(undo()).rejects.toMatchObject({ code: 'changed' });
    store.database.exec(`UPDATE ${TABLE} SET description = NULL WHERE id = 'b'`);
    expect(store.dump()).toBe(before);
    await undo();
    expect((await store.source.latest('s')).ref).toEqual(ref('b'));
  });
});

describe("the document's table with its foreign keys", () => {
  const parents = (list: string): string => `${list}${documentDdl}`;
  const sessions = "CREATE TABLE sessions (id TEXT PRIMARY KEY); INSERT INTO sessions VALUES ('s');";
  const projects = "CREATE TABLE projects (id TEXT PRIMARY KEY); INSERT INTO projects VALUES ('p');";
  const some = [rowOf('a', 1), rowOf('b', 2), rowOf('tool', 3, { state_json: toolState(3) })];
  const open = async (sql: string) => {
    // SQLite refuses inserts where a parent is missing.
    store = await openRows(
      `PRAGMA foreign_keys = OFF; ${sql}`,
      'checkpoints',
      some.map((row) => ({ ...row, project_id: 'p' })),
    );
  };

  test('restore removes the outranking rows, and undo brings them back; a copy into a new session is refused', async () => {
    await open(parents(sessions + projects));
    const before = store.dump();
    expect(store.source.info.capabilities.fork).toMatch(/rows in another table/);
    expect(await refused({ kind: 'fork', ref: ref('a') })).toMatchObject({ code: 'unsupported' });
    const newTask: SystemRequest = { kind: 'restore', ref: ref('a'), targetTask: 'n' };
    expect(await refused(newTask)).toMatchObject({ code: 'unsupported' });
    const plan = await store.source.plan({ kind: 'restore', ref: ref('a') });
    expect([plan.view.moves.count, plan.view.removes.items.map((item) => item.ref.id)]).toEqual([0, ['tool', 'b']]);
    expect(plan.view.bytesFreed).toBeGreaterThan(0);
    const undo = await store.apply(plan);
    expect((await store.source.latest('s')).ref).toEqual(ref('a'));
    await undo();
    expect(store.dump()).toBe(before);
    await store.apply(await store.source.plan({ kind: 'restore', ref: ref('tool') }));
    expect((await store.source.checkpoints('s')).items.map(({ stepIndex }) => stepIndex)).toEqual([4, 3, 2, 1]);
  });

  test('where a parent table is missing, SQLite takes no change, and that is the reason given', async () => {
    await open(documentDdl);
    const message = expect.stringContaining('refers to "projects"');
    expect(await refused({ kind: 'restore', ref: ref('tool') })).toMatchObject({ code: 'unsupported', message });
    expect(await refused({ kind: 'delete', refs: [ref('tool')] })).toMatchObject({ code: 'unsupported', message });
  });
});
