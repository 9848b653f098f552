/** One test per named item of the document F8.1 Agent Checkpointing, titled by it: executor, examples, configuration, metrics. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  CheckpointManager,
  loadCheckpointConfig,
  type AgentState,
  type CheckpointConfig,
  type ExecuteStep,
  type PlanStep,
} from './index.ts';
import {
  db,
  failAt,
  folder,
  freshManager,
  manager,
  NOW,
  ok,
  plan3,
  row,
  run,
  saved,
  stateAt,
  step,
} from './test-document.ts';

freshManager();
const withConfig = (config: Partial<CheckpointConfig>) => new CheckpointManager(db, config);
const triggers = async () => (await manager.list('session-1')).map((one) => one.description ?? one.triggerType);

describe('CheckpointedExecutor', () => {
  it('execute: runs the plan, success, state and totalDurationMs', async () => {
    const result = await run(ok, plan3());
    expect(result).toMatchObject({ success: true, totalDurationMs: expect.any(Number) });
    expect(result.state.results.map(({ output }) => output)).toEqual(['output of 1', 'output of 2', 'output of 3']);
    expect(result).not.toHaveProperty('error');
  });
  it('executeStep: gets the step and the state, whose context it may fill', async () => {
    const { state } = await run((one, { context }) => void (context[one.id] = true), plan3());
    expect(state.context).toEqual({ '1': true, '2': true, '3': true });
  });
  it('initializeState: query, a copy of the plan, step 0, no results, empty context', async () => {
    const plan = [step('1')];
    let first = '';
    await run((_, state) => void (first = JSON.stringify({ ...state, plan: state.plan.length })), plan, { query: 'q' });
    expect(JSON.parse(first)).toEqual({ query: 'q', plan: 1, currentStepIndex: 0, results: [], context: {} });
    expect(plan[0]?.status).toBe('pending');
  });
  it('automatic checkpoint after each step', async () => {
    const counts: number[] = [];
    await run(async () => void counts.push((await manager.list('session-1')).length), plan3());
    expect(counts).toEqual([0, 1, 2]);
  });
  it('final checkpoint: auto, Execution complete, the same step', async () => {
    await run(ok, plan3());
    expect(
      (await manager.list('session-1'))
        .map(({ stepNumber, description, triggerType }) => [stepNumber, description, triggerType])
        .slice(0, 2),
    ).toEqual([
      [3, 'Execution complete', 'auto'],
      [3, undefined, 'auto'],
    ]);
  });
  it('error checkpoint: Failed at step N, the step failed, lastError set', async () => {
    const result = await run(failAt('2'), plan3());
    expect(result).toMatchObject({ success: false, error: 'API timeout' });
    const latest = await manager.loadLatest('session-1');
    expect(latest).toMatchObject({
      stepNumber: 1,
      metadata: { triggerType: 'error', description: 'Failed at step 1: Step 2' },
    });
    expect(latest?.state.plan.map(({ status }) => status)).toEqual(['completed', 'failed', 'pending']);
    expect(latest?.state.lastError).toMatchObject({
      stepIndex: 1,
      message: 'API timeout',
      timestamp: expect.any(Date),
    });
  });
  it('resume: completed steps are skipped, the failed one is tried again', async () => {
    await run(failAt('2'), plan3());
    const ran: string[] = [];
    const result = await run((one) => void ran.push(one.id), plan3(), { resumeFromCheckpoint: true });
    expect([ran, result.success, result.state.results.map(({ stepId }) => stepId)]).toEqual([
      ['2', '3'],
      true,
      ['1', '2', '3'],
    ]);
  });
  it('resume: skipped steps stay skipped, also where the index is on one', async () => {
    await manager.save(
      'session-1',
      'project-1',
      stateAt(0, { plan: [step('1', { status: 'completed' }), step('2', { status: 'skipped' }), step('3')] }),
    );
    const ran: string[] = [];
    await run((one) => void ran.push(one.id), plan3(), { resumeFromCheckpoint: true });
    expect(ran).toEqual(['3']);
  });
  it('resume: a step that was running when the process ended runs again', async () => {
    await manager.save('session-1', 'project-1', stateAt(0, { plan: [step('1', { status: 'running' })] }));
    const result = await run(ok, plan3(), { resumeFromCheckpoint: true });
    expect(result.state.plan).toEqual([step('1', { status: 'completed' })]);
  });
  it('durationMs: of each checkpoint since the run began', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    await run(() => void vi.setSystemTime(Date.now() + 100), plan3());
    expect((await manager.list('session-1')).map(({ durationMs }) => durationMs)).toEqual([300, 300, 200, 100]);
  });
});

describe('interface ExecuteOptions', () => {
  it('query: default empty', async () => {
    expect((await run(ok, [])).state.query).toBe('');
    expect((await run(ok, [], { query: 'q' })).state.query).toBe('q');
  });
  it('resumeFromCheckpoint: default false, starts again', async () => {
    await run(failAt('3'), plan3());
    const ran: string[] = [];
    await run((one) => void ran.push(one.id), plan3());
    expect(ran).toEqual(['1', '2', '3']);
  });
  it('resumeFromCheckpoint: without a checkpoint starts again', async () => {
    expect((await run(ok, plan3(), { resumeFromCheckpoint: true })).state.results).toHaveLength(3);
    expect(manager.metrics().checkpoint_resume_count).toBe(0);
  });
  it('autoCheckpoint: false leaves only the final one', async () => {
    await run(ok, plan3(), { autoCheckpoint: false });
    expect(await triggers()).toEqual(['Execution complete']);
  });
  it('autoCheckpoint: false still saves the error', async () => {
    await run(failAt('2'), plan3(), { autoCheckpoint: false });
    expect(await triggers()).toEqual(['Failed at step 1: Step 2']);
  });
});

describe('interface ExecutionResult', () => {
  it('success, state, totalDurationMs', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const result = await run(() => void vi.setSystemTime(Date.now() + 40), plan3());
    expect([result.success, result.state.currentStepIndex, result.totalDurationMs]).toEqual([true, 3, 120]);
  });
  it('error: the message, and the state up to it', async () => {
    const result = await run(failAt('3'), plan3());
    expect([result.success, result.error, result.state.results.length]).toEqual([false, 'API timeout', 2]);
  });
});

describe('Example 1: Research Agent with Checkpoints', () => {
  const query = 'Find all competitors and their quarterly revenue';
  const plan = (): PlanStep[] => [
    step('1', { description: 'Identify competitors from industry database' }),
    step('2', { description: 'Fetch Q4 revenue for each competitor', dependencies: ['1'] }),
    step('3', { description: 'Compile comparison report', dependencies: ['1', '2'] }),
  ];
  const competitors = ['CompanyA', 'CompanyB', 'CompanyC'];
  let online = false;
  const ran: string[] = [];
  const agent: ExecuteStep = (one) => {
    ran.push(one.id);
    if (one.id === '1') return competitors;
    if (one.id === '2' && !online) throw new Error('API timeout');
    return `done ${one.id}`;
  };

  it('Checkpoint 1, checkpoint 2 (error) in the same millisecond, resume, complete', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    expect(await run(agent, plan(), { query })).toMatchObject({ success: false, error: 'API timeout' });
    const [error, auto, ...more] = await manager.list('session-1');
    expect([error?.stepNumber, auto?.stepNumber, error?.createdAt, auto?.createdAt, more]).toEqual([
      1,
      1,
      NOW,
      NOW,
      [],
    ]);
    const first = await manager.load(auto?.id ?? '');
    expect(first?.state).toMatchObject({ currentStepIndex: 1, results: [{ stepId: '1', output: competitors }] });
    const second = await manager.loadLatest('session-1');
    expect(second?.id).toBe(error?.id);
    expect(second?.state).toMatchObject({
      query,
      currentStepIndex: 1,
      lastError: { message: 'API timeout', stepIndex: 1 },
    });

    online = true;
    ran.length = 0;
    const result = await run(agent, plan(), { resumeFromCheckpoint: true });
    expect([ran, result.success]).toEqual([['2', '3'], true]);
    expect(result.state.results.map(({ stepId }) => stepId)).toEqual(['1', '2', '3']);
    expect(manager.metrics()).toMatchObject({
      checkpoint_resume_count: 1,
      steps_recovered: 1,
      checkpoint_save_count: 5,
    });
  });
});

describe('Example 2: Manual Checkpoint for Long Task', () => {
  it('triggerType manual with its description', async () => {
    await manager.save('session-1', 'project-1', stateAt(4), {
      triggerType: 'manual',
      description: 'User requested pause before external API calls',
    });
    expect((await manager.list('session-1'))[0]).toMatchObject({
      triggerType: 'manual',
      description: 'User requested pause before external API calls',
    });
  });
});

describe('Configuration', () => {
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, '.ctx-sys'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const given =
    'agent:\n  checkpoints:\n    enabled: true\n    autoCheckpoint: true\n    maxCheckpointsPerSession: 10\n    pruneAfterDays: 30\n    compressState: true        # Compress large states\n';

  it('ctx-sys.yaml: agent.checkpoints of the document is read', async () => {
    write('ctx-sys.yaml', given);
    expect(await loadCheckpointConfig(folder)).toEqual({
      enabled: true,
      autoCheckpoint: true,
      maxCheckpointsPerSession: 10,
      pruneAfterDays: 30,
      compressState: true,
    });
  });
  it('.ctx-sys/config.yaml: read as well, and takes precedence over ctx-sys.yaml', async () => {
    write('ctx-sys.yaml', given);
    write(join('.ctx-sys', 'config.yaml'), 'project:\n  name: demo\nagent:\n  checkpoints:\n    pruneAfterDays: 7\n');
    expect(await loadCheckpointConfig(folder)).toMatchObject({ pruneAfterDays: 7, compressState: true });
  });
  it('enabled: false saves nothing, and the run continues', async () => {
    const off = withConfig({ enabled: false });
    expect(await run(failAt('2'), plan3(), {}, off)).toMatchObject({ success: false });
    expect(await run(ok, plan3(), {}, off)).toMatchObject({ success: true });
    expect(await manager.list('session-1')).toEqual([]);
    await expect(off.save('session-1', 'project-1', stateAt(1))).rejects.toMatchObject({ code: 'unsupported' });
  });
  it('autoCheckpoint: false still saves error and final checkpoints', async () => {
    const quiet = withConfig({ autoCheckpoint: false });
    await run(failAt('3'), plan3(), {}, quiet);
    await run(ok, plan3(), { resumeFromCheckpoint: true }, quiet);
    expect(await triggers()).toEqual(['Execution complete', 'Failed at step 2: Step 3']);
  });
  it('autoCheckpoint: the option of execute takes precedence over it', async () => {
    await run(ok, plan3(), { autoCheckpoint: true }, withConfig({ autoCheckpoint: false }));
    expect(await triggers()).toHaveLength(4);
  });
  it('maxCheckpointsPerSession: so many stay', async () => {
    const few = withConfig({ maxCheckpointsPerSession: 3 });
    for (let n = 0; n < 5; n++) await few.save('session-1', 'project-1', stateAt(n));
    expect((await few.list('session-1')).map(({ stepNumber }) => stepNumber)).toEqual([4, 3, 2]);
  });
  it('pruneAfterDays: days of 24 hours, at each save of the session', async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    const young = withConfig({ pruneAfterDays: 30 });
    const day = 24 * 60 * 60 * 1000;
    await young.save('session-1', 'project-1', stateAt(1));
    await young.save('session-2', 'project-1', stateAt(1));
    vi.setSystemTime(NOW.getTime() + 30 * day);
    await young.save('session-1', 'project-1', stateAt(2));
    expect(await young.list('session-1')).toHaveLength(2);
    vi.setSystemTime(NOW.getTime() + 30 * day + 1);
    await young.save('session-1', 'project-1', stateAt(3));
    expect((await young.list('session-1')).map(({ stepNumber }) => stepNumber)).toEqual([3, 2]);
    expect(await young.list('session-2')).toHaveLength(1);
    expect(await young.pruneByAge(30)).toBe(1);
    expect(await young.list('session-2')).toEqual([]);
  });
  it('compressState: large states are stored small and come back the same', async () => {
    const small = withConfig({ compressState: true });
    const state = stateAt(1, { context: { text: 'repeat '.repeat(2000) } });
    const { id } = await small.save('session-1', 'project-1', state);
    expect((row(id)['state_json'] as Uint8Array).length).toBeLessThan(1000);
    expect((await manager.load(id))?.state).toEqual(state);
    const short = await small.save('session-1', 'project-1', stateAt(2));
    expect(typeof row(short.id)['state_json']).toBe('string');
  });
});

describe('Testing', () => {
  it('should save and load checkpoints', async () => {
    const state: AgentState = {
      query: 'test query',
      plan: [{ id: '1', description: 'Step 1', action: 'test', parameters: {}, status: 'completed' }],
      currentStepIndex: 1,
      results: [{ stepId: '1', output: 'result', completedAt: new Date(), durationMs: 100 }],
      context: {},
    };
    await manager.save('session-1', 'project-1', state);
    const loaded = await manager.loadLatest('session-1');
    expect(loaded).not.toBeNull();
    expect(loaded?.state.currentStepIndex).toBe(1);
    expect(loaded?.state.results[0]?.output).toBe('result');
  });
  it('should prune old checkpoints: 15 saves of partial states leave 10', async () => {
    for (let i = 0; i < 15; i++) await manager.save('session-1', 'project-1', { currentStepIndex: i } as AgentState);
    const checkpoints = await manager.list('session-1');
    expect(checkpoints.map(({ stepNumber }) => stepNumber)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
    expect((await manager.loadLatest('session-1'))?.state).toEqual({ currentStepIndex: 14 });
  });
  it('should resume from checkpoint', async () => {
    await run(failAt('2'), plan3());
    const checkpoint = await manager.loadLatest('session-1');
    const result = await run(ok, plan3(), { resumeFromCheckpoint: true });
    expect(result.state.results.length).toBeGreaterThan(checkpoint?.state.results.length ?? Infinity);
  });
});

describe('Metrics to Track', () => {
  it('all are 0 before the first save', () => {
    expect(Object.values(manager.metrics())).toEqual([0, 0, 0, 0, 0]);
  });
  it('checkpoint_save_count: number of checkpoints saved', async () => {
    await run(ok, plan3());
    expect(manager.metrics().checkpoint_save_count).toBe(4);
  });
  it('checkpoint_resume_count: number of times execution resumed', async () => {
    await run(failAt('2', 2), plan3());
    for (let n = 0; n < 2; n++) await run(ok, plan3(), { resumeFromCheckpoint: true });
    expect(manager.metrics().checkpoint_resume_count).toBe(2);
  });
  it('checkpoint_save_size_bytes: average checkpoint size', async () => {
    const states = [stateAt(1), stateAt(2, { query: 'long '.repeat(100) })];
    for (const state of states) await manager.save('session-1', 'project-1', state);
    const sizes = states.map((state) => JSON.stringify(state).length);
    expect(manager.metrics().checkpoint_save_size_bytes).toBe(((sizes[0] ?? 0) + (sizes[1] ?? 0)) / 2);
  });
  it('checkpoint_save_latency_ms: time to save checkpoint', async () => {
    await saved(stateAt(1));
    const { checkpoint_save_latency_ms: latency } = manager.metrics();
    expect(latency > 0 && latency < 5000).toBe(true);
  });
  it('steps_recovered: steps not run again', async () => {
    await run(failAt('3'), plan3());
    await run(ok, plan3(), { resumeFromCheckpoint: true });
    expect(manager.metrics().steps_recovered).toBe(2);
  });
});
