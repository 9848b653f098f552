/** One test per named item of the document F8.1 Agent Checkpointing, titled by it: types, schema and manager. */
import { openSqlite, tableColumns } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createCtxSysCheckpointManager, type PlanStep } from './index.ts';
import { db, folder, freshManager, manager, NOW, ok, plan3, row, run, saved, stateAt, step } from './test-document.ts';

freshManager();

describe('interface Checkpoint', () => {
  it('id: unique, ckpt_ and a uuid', async () => {
    const ids = [await saved(stateAt(1)), await saved(stateAt(1))].map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^ckpt_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
  it('sessionId: the associated session', async () => expect((await saved(stateAt(1))).sessionId).toBe('session-1'));
  it('projectId: the project', async () => expect((await saved(stateAt(1))).projectId).toBe('project-1'));
  it('stepNumber: position in execution, state.currentStepIndex', async () =>
    expect((await saved(stateAt(7))).stepNumber).toBe(7));
  it('createdAt: a Date, stored as ISO text', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const { id, createdAt } = await saved(stateAt(1));
    expect(createdAt).toEqual(NOW);
    expect(row(id)['created_at']).toBe('2026-03-01T12:00:00.000Z');
  });
  it('state: the execution state', async () =>
    expect((await saved(stateAt(1, { context: { a: [1, { b: null }] } }))).state).toEqual(
      stateAt(1, { context: { a: [1, { b: null }] } }),
    ));
  it('metadata.description: optional, undefined when missing', async () => {
    expect((await saved(stateAt(1), { description: 'named' })).metadata.description).toBe('named');
    expect((await saved(stateAt(1))).metadata).toHaveProperty('description', undefined);
  });
  it('metadata.triggerType: auto, manual or error', async () => {
    for (const triggerType of ['auto', 'manual', 'error'] as const) {
      expect((await saved(stateAt(1), { triggerType })).metadata.triggerType).toBe(triggerType);
    }
  });
  it('metadata.durationMs: time to reach this checkpoint', async () =>
    expect((await saved(stateAt(1), { durationMs: 12 })).metadata.durationMs).toBe(12));
  it('metadata.tokenUsage: optional', async () => {
    expect((await saved(stateAt(1), { tokenUsage: 99 })).metadata.tokenUsage).toBe(99);
    expect((await saved(stateAt(1))).metadata.tokenUsage).toBeUndefined();
  });
});

describe('interface AgentState', () => {
  it('query: the original request', async () =>
    expect((await saved(stateAt(1, { query: 'Find “all” 競合' }))).state.query).toBe('Find “all” 競合'));
  it('plan: the steps', async () => expect((await saved(stateAt(1, { plan: plan3() }))).state.plan).toEqual(plan3()));
  it('currentStepIndex', async () => expect((await saved(stateAt(3))).state.currentStepIndex).toBe(3));
  it('results: of completed steps', async () => {
    const results = [{ stepId: '1', output: { a: 1 }, completedAt: NOW, durationMs: 100 }];
    expect((await saved(stateAt(1, { results }))).state.results).toEqual(results);
  });
  it('context: working memory of any JSON', async () => {
    const context = { a: 1.5, b: [true, null, 'x'], nested: { deep: { list: [] } }, minus: -0 };
    expect((await saved(stateAt(1, { context }))).state.context).toEqual(context);
  });
  it('lastError.stepIndex and lastError.message', async () => {
    const lastError = { stepIndex: 1, message: 'API timeout', timestamp: NOW };
    expect((await saved(stateAt(1, { lastError }))).state.lastError).toMatchObject({
      stepIndex: 1,
      message: 'API timeout',
    });
  });
  it('lastError.timestamp: comes back as Date', async () => {
    const lastError = { stepIndex: 1, message: 'x', timestamp: NOW };
    expect((await saved(stateAt(1, { lastError }))).state.lastError?.timestamp).toEqual(NOW);
  });
  it('lastError: absent without an error', async () =>
    expect((await saved(stateAt(1))).state.lastError).toBeUndefined());
});

describe('interface PlanStep', () => {
  const back = async (more: Partial<PlanStep>) => (await saved(stateAt(1, { plan: [step('1', more)] }))).state.plan[0];
  it('id', async () => expect((await back({}))?.id).toBe('1'));
  it('description', async () => expect((await back({ description: 'Fetch' }))?.description).toBe('Fetch'));
  it('action: tool or action to execute', async () => {
    const actions: string[] = [];
    await run((one) => void actions.push(one.action), [step('1', { action: 'http.get' })]);
    expect(actions).toEqual(['http.get']);
  });
  it('parameters', async () => expect((await back({ parameters: { q: ['x'] } }))?.parameters).toEqual({ q: ['x'] }));
  it('status: pending, running, completed, failed and skipped', async () => {
    for (const status of ['pending', 'running', 'completed', 'failed', 'skipped'] as const) {
      expect((await back({ status }))?.status).toBe(status);
    }
  });
  it('status: pending before, running in, completed after its step', async () => {
    const seen: string[][] = [];
    const { state } = await run(
      (_, { plan }) => void seen.push(plan.map(({ status }) => status)),
      [step('1'), step('2')],
    );
    expect(seen).toEqual([
      ['running', 'pending'],
      ['completed', 'running'],
    ]);
    expect(state.plan.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
  it('dependencies: a step whose dependency failed is skipped, and so are those behind it', async () => {
    const plan = [
      step('1', { status: 'failed' }),
      step('2', { dependencies: ['1'] }),
      step('3', { dependencies: ['2', 'unknown'] }),
      step('4', { dependencies: ['4'] }),
    ];
    await manager.save('session-1', 'project-1', stateAt(1, { plan }));
    const ran: string[] = [];
    const { state, success } = await run((one) => void ran.push(one.id), plan, { resumeFromCheckpoint: true });
    expect([success, ran, state.plan.map(({ status }) => status)]).toEqual([
      true,
      ['4'],
      ['failed', 'skipped', 'skipped', 'completed'],
    ]);
  });
  it('dependencies: on completed steps and on steps skipped by hand let it run', async () => {
    const plan = [step('1', { status: 'skipped' }), step('2'), step('3', { dependencies: ['1', '2'] })];
    expect((await run(ok, plan)).state.plan[2]?.status).toBe('completed');
  });
});

describe('interface StepResult', () => {
  const first = async (execute = ok) => (await run(execute, [step('1')])).state.results[0];
  it('stepId', async () => expect((await first())?.stepId).toBe('1'));
  it('output: what the step gave', async () =>
    expect((await first(() => ({ found: 3 })))?.output).toEqual({ found: 3 }));
  it('completedAt: comes back as Date', async () => {
    await first();
    expect((await manager.loadLatest('session-1'))?.state.results[0]?.completedAt).toBeInstanceOf(Date);
  });
  it('durationMs: of the step', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    expect((await first(() => void vi.setSystemTime(NOW.getTime() + 250)))?.durationMs).toBe(250);
  });
  it('tokenUsage: optional, kept', async () => {
    const results = [{ stepId: '1', output: null, completedAt: NOW, durationMs: 1, tokenUsage: 42 }];
    expect((await saved(stateAt(1, { results }))).state.results[0]?.tokenUsage).toBe(42);
  });
});

describe('Database Schema', () => {
  it("table checkpoints with the document's columns", () => {
    expect(tableColumns(db.sqlite, 'checkpoints')).toEqual([
      'id',
      'session_id',
      'project_id',
      'step_number',
      'created_at',
      'state_json',
      'description',
      'trigger_type',
      'duration_ms',
      'token_usage',
    ]);
  });
  it('indexes idx_checkpoints_session and idx_checkpoints_project', () => {
    const names = db.sqlite
      .prepare<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
      )
      .all();
    expect(names.map(({ name }) => name)).toEqual(['idx_checkpoints_project', 'idx_checkpoints_session']);
  });
  it('state_json: serialized state; missing description and token_usage are NULL', async () => {
    const { id } = await saved(stateAt(1));
    expect(JSON.parse(String(row(id)['state_json']))).toEqual(stateAt(1));
    expect(row(id)).toMatchObject({ description: null, token_usage: null, trigger_type: 'auto', duration_ms: 0 });
  });
  it('FOREIGN KEY: a session or project without its row is a named error', async () => {
    const path = join(folder, 'keys.db');
    const other = openSqlite(path, { readOnly: false, create: true });
    other.exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY); CREATE TABLE projects (id TEXT PRIMARY KEY);
      CREATE TABLE checkpoints (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id), project_id TEXT NOT NULL REFERENCES projects(id),
      step_number INTEGER NOT NULL, created_at TEXT NOT NULL, state_json TEXT NOT NULL, description TEXT, trigger_type TEXT NOT NULL, duration_ms INTEGER, token_usage INTEGER)`);
    const keyed = await createCtxSysCheckpointManager({ path });
    await expect(keyed.save('s', 'p', stateAt(1))).rejects.toMatchObject({ code: 'invalid_input' });
    other.exec("INSERT INTO sessions VALUES ('s'); INSERT INTO projects VALUES ('p')");
    await keyed.save('s', 'p', stateAt(1));
    expect(await keyed.list('s')).toHaveLength(1);
    keyed.close();
    other.close();
  });
});

describe('CheckpointManager', () => {
  it('save: returns the checkpoint', async () => {
    const state = stateAt(2);
    const checkpoint = await manager.save('session-1', 'project-1', state, { description: 'd' });
    expect(checkpoint).toMatchObject({ sessionId: 'session-1', projectId: 'project-1', stepNumber: 2, state });
    expect(await manager.load(checkpoint.id)).toEqual(checkpoint);
  });
  it('loadLatest: the greatest step, then the newest time, then the row saved last', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    await manager.save('session-1', 'project-1', stateAt(2), { description: 'high' });
    vi.setSystemTime(NOW.getTime() + 1000);
    await manager.save('session-1', 'project-1', stateAt(1), { description: 'low, later' });
    expect((await manager.loadLatest('session-1'))?.metadata.description).toBe('high');
    await manager.save('session-1', 'project-1', stateAt(2), { description: 'newer' });
    await manager.save('session-1', 'project-1', stateAt(2), { description: 'same millisecond' });
    expect((await manager.loadLatest('session-1'))?.metadata.description).toBe('same millisecond');
  });
  it('loadLatest: null for an unknown session', async () => expect(await manager.loadLatest('none')).toBeNull());
  it('load: one checkpoint by id, of any session', async () => {
    const { id } = await manager.save('session-2', 'project-1', stateAt(1));
    expect((await manager.load(id))?.sessionId).toBe('session-2');
  });
  it('load: null for an unknown id', async () => expect(await manager.load('none')).toBeNull());
  it('list: id, stepNumber, createdAt, description, triggerType and durationMs, step descending, without states', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const a = await manager.save('session-1', 'project-1', stateAt(1), {
      description: 'a',
      triggerType: 'manual',
      durationMs: 5,
    });
    const b = await manager.save('session-1', 'project-1', stateAt(2));
    expect(await manager.list('session-1')).toEqual([
      { id: b.id, stepNumber: 2, createdAt: NOW, description: undefined, triggerType: 'auto', durationMs: 0 },
      { id: a.id, stepNumber: 1, createdAt: NOW, description: 'a', triggerType: 'manual', durationMs: 5 },
    ]);
  });
  it('list: empty for an unknown session', async () => expect(await manager.list('none')).toEqual([]));
  it('delete: that checkpoint, void; an unknown id is not an error', async () => {
    const { id } = await saved(stateAt(1));
    const other = await saved(stateAt(2));
    expect(await manager.delete(id)).toBeUndefined();
    await manager.delete('none');
    expect((await manager.list('session-1')).map((one) => one.id)).toEqual([other.id]);
  });
  it('clearSession: all of that session and of no other', async () => {
    await saved(stateAt(1));
    await manager.save('session-2', 'project-1', stateAt(1));
    expect(await manager.clearSession('session-1')).toBeUndefined();
    expect([(await manager.list('session-1')).length, (await manager.list('session-2')).length]).toEqual([0, 1]);
  });
  it('pruneOldCheckpoints: 10 per session by step and time, others stay', async () => {
    for (let n = 0; n < 12; n++) await manager.save('session-2', 'project-1', stateAt(n));
    await saved(stateAt(1));
    expect((await manager.list('session-2')).map(({ stepNumber }) => stepNumber)).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
    ]);
    expect(await manager.list('session-1')).toHaveLength(1);
  });
  it("rowToCheckpoint: Date for created_at, also as SQLite's CURRENT_TIMESTAMP writes it, undefined for NULL", async () => {
    const { id } = await saved(stateAt(1));
    db.sqlite.exec(
      "UPDATE checkpoints SET created_at = '2026-01-02 03:04:05', duration_ms = NULL, trigger_type = 'odd'",
    );
    expect(await manager.load(id)).toMatchObject({
      createdAt: new Date('2026-01-02T03:04:05Z'),
      metadata: { description: undefined, durationMs: 0, tokenUsage: undefined, triggerType: 'manual' },
    });
  });
});

describe('interface SaveOptions', () => {
  it('description: default none', async () => expect((await saved(stateAt(1))).metadata.description).toBeUndefined());
  it('triggerType: default auto', async () => expect((await saved(stateAt(1))).metadata.triggerType).toBe('auto'));
  it('durationMs: default 0', async () => expect((await saved(stateAt(1))).metadata.durationMs).toBe(0));
  it('tokenUsage: default none', async () => expect((await saved(stateAt(1), {})).metadata.tokenUsage).toBeUndefined());
});

describe('interface CheckpointSummary', () => {
  it('description: undefined when missing', async () => {
    await saved(stateAt(1));
    expect((await manager.list('session-1'))[0]).toHaveProperty('description', undefined);
  });
});
