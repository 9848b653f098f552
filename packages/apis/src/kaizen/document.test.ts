// One test per item that Kaizen's document names about its types; the manager, the storage and the listed scenarios
// are in the files beside this one.
import { describe, expect, expectTypeOf, it } from 'vitest';
import { AgentState, CheckpointMetadata, StateSnapshot, Timestamp, type AgentStatus, type Dict } from './index.ts';
import { goldenState, goldenFile } from './fixtures/golden.ts';
import { parsePython, pythonJson } from './python-json.ts';

const DEFAULTS = {
  agent_id: ['agentId', ''],
  step_number: ['stepNumber', 0],
  conversation_history: ['conversationHistory', []],
  memory_contents: ['memoryContents', {}],
  pending_actions: ['pendingActions', []],
  completed_actions: ['completedActions', []],
  budget_spent_usd: ['budgetSpentUsd', 0],
  approval_history: ['approvalHistory', []],
  tool_usage_counts: ['toolUsageCounts', {}],
  tool_results_cache: ['toolResultsCache', {}],
  active_specialists: ['activeSpecialists', []],
  specialist_invocations: ['specialistInvocations', []],
  workflow_run_id: ['workflowRunId', undefined],
  workflow_state: ['workflowState', {}],
  control_protocol_state: ['controlProtocolState', {}],
  registered_hooks: ['registeredHooks', []],
  hook_event_history: ['hookEventHistory', []],
  parent_checkpoint_id: ['parentCheckpointId', undefined],
  status: ['status', 'running'],
  metadata: ['metadata', {}],
} as const;

/** A value other than the default, of the field's type. */
const OTHER: Readonly<Record<keyof typeof DEFAULTS, unknown>> = {
  agent_id: 'агент',
  step_number: 42,
  conversation_history: [{ user: 'a', agent: 'b' }],
  memory_contents: { fact: [1, null, { deep: true }] },
  pending_actions: [{ action: 'fetch' }],
  completed_actions: [{ action: 'done' }],
  budget_spent_usd: 0.15,
  approval_history: [{ tool: 'x', approved: true }],
  tool_usage_counts: { fetch: 3 },
  tool_results_cache: { 'fetch:0': { rows: 3 } },
  active_specialists: ['writer'],
  specialist_invocations: [{ name: 'writer' }],
  workflow_run_id: 'run-1',
  workflow_state: { node: 'n2' },
  control_protocol_state: { paused: false },
  registered_hooks: [{ event: 'pre_tool_use' }],
  hook_event_history: [{ event: 'x' }],
  parent_checkpoint_id: 'ckpt_000000000001',
  status: 'failed',
  metadata: { k: 'v' },
};

describe('AgentState', () => {
  it('checkpoint_id: by default ckpt_ and 12 hex digits, new each time', () => {
    const ids = new Set(Array.from({ length: 100 }, () => new AgentState().checkpointId));
    expect(ids.size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^ckpt_[0-9a-f]{12}$/);
    expect(new AgentState({ checkpointId: 'own' }).toDict().checkpoint_id).toBe('own');
  });

  it('timestamp: by default the time now, as a Date', () => {
    const before = Date.now();
    const { timestamp } = new AgentState();
    expect(timestamp).toBeInstanceOf(Date);
    expect(timestamp.getTime()).toBeGreaterThanOrEqual(before);
    expect(timestamp.getTime()).toBeLessThanOrEqual(Date.now() + 10);
  });

  it.each(Object.entries(DEFAULTS))('%s: its default, and any value there and back', (key, [field, value]) => {
    const fresh = new AgentState();
    expect(fresh[field]).toEqual(value);
    expect(fresh.toDict()[key]).toEqual(value ?? null);
    expect(AgentState.fromDict({})[field]).toEqual(value);
    const other = OTHER[key as keyof typeof DEFAULTS];
    const state = AgentState.fromDict({ [key]: other });
    expect(state[field]).toEqual(other);
    expect(state.toDict()[key]).toEqual(other);
    expect(() => AgentState.fromDict({ [key]: Symbol('of no type') })).toThrow(key);
  });

  it('has a default of its own for each state', () => {
    const state = new AgentState();
    state.memoryContents['x'] = 1;
    expect(new AgentState().memoryContents).toEqual({});
  });

  it('status: one of running, completed, failed, interrupted', () => {
    expectTypeOf<AgentStatus>().toEqualTypeOf<'running' | 'completed' | 'failed' | 'interrupted'>();
    for (const status of ['running', 'completed', 'failed', 'interrupted']) {
      expect(AgentState.fromDict({ status }).status).toBe(status);
    }
    expect(() => AgentState.fromDict({ status: 'paused' })).toThrow('status');
  });

  it('to_dict: the keys in the order of the file, the datetime in ISO format, spelled as Kaizen does', async () => {
    const golden = (await goldenFile('.jsonl')).toString();
    expect(goldenState().toDict()['timestamp']).toBe('2026-03-14T09:31:53.589793+00:00');
    expect(`${pythonJson(goldenState().toDict())}\n`).toBe(golden);
    const whole = new AgentState({ timestamp: new Date('2026-03-14T09:31:53Z'), budgetSpentUsd: 2 });
    expect(pythonJson(whole.toDict())).toContain('"timestamp": "2026-03-14T09:31:53+00:00"');
    expect(pythonJson(whole.toDict())).toContain('"budget_spent_usd": 2.0,');
  });

  it('to_dict: is a copy', () => {
    const state = new AgentState({ memoryContents: { deep: { x: 1 } } });
    const dict = state.toDict();
    (dict['memory_contents'] as { deep: { x: number } }).deep.x = 2;
    expect(state.memoryContents).toEqual({ deep: { x: 1 } });
  });

  it('from_dict: the datetime is parsed from ISO format, to the microsecond', async () => {
    const golden = (await goldenFile('.jsonl')).toString();
    const state = AgentState.fromDict(parsePython(golden) as Dict);
    expect(state.timestamp.toISOString()).toBe('2026-03-14T09:31:53.589Z');
    expect(Timestamp.micros(state.timestamp)).toBe(1773480713589793n);
    expect(state).toEqual(goldenState());
    expect(`${pythonJson(state.toDict())}\n`).toBe(golden);
    state.timestamp.setUTCFullYear(2027);
    expect(state.toDict()['timestamp']).toBe('2027-03-14T09:31:53.589000+00:00');
  });

  it('from_dict: refuses what is not a state, by name', () => {
    expect(() => AgentState.fromDict({ timestamp: 1773480000.5 })).toThrow('timestamp');
    expect(() => AgentState.fromDict({ timestamp: 'yesterday' })).toThrow('yesterday');
    expect(() => AgentState.fromDict({ own: 1 })).toThrow('no field own');
    expect(() => AgentState.fromDict([] as unknown as Dict)).toThrow('object');
    expect(() => new AgentState({ timestamp: new Date(NaN) }).toDict()).toThrow('invalid');
    expect(() => new AgentState({ metadata: { at: new Date() } }).toDict()).toThrow('a Date (at $.metadata.at)');
  });

  it('example: create, serialize, deserialize', () => {
    const state = new AgentState({
      agentId: 'research_agent',
      stepNumber: 42,
      conversationHistory: [{ user: 'Analyze sales data', agent: 'Starting analysis...' }],
      memoryContents: { current_task: 'sales_analysis' },
      pendingActions: [{ action: 'fetch_data', params: { source: 'db' } }],
      budgetSpentUsd: 0.15,
      toolUsageCounts: { fetch_data: 3, analyze: 1 },
      status: 'running',
    });
    expect(AgentState.fromDict(state.toDict())).toEqual(state);
    expect(AgentState.fromDict(JSON.parse(JSON.stringify(state.toDict())) as Dict)).toEqual(state);
  });
});

const METADATA = {
  checkpoint_id: 'ckpt_000000000002',
  agent_id: 'research_agent',
  timestamp: '2026-03-14T09:31:53.589793+00:00',
  step_number: 42,
  status: 'running',
  size_bytes: 1419,
  parent_checkpoint_id: 'ckpt_000000000001',
} as const;

describe('CheckpointMetadata', () => {
  const metadata = CheckpointMetadata.fromDict(METADATA);

  it.each([
    ['checkpoint_id', metadata.checkpointId, METADATA.checkpoint_id],
    ['agent_id', metadata.agentId, METADATA.agent_id],
    ['timestamp', metadata.timestamp.getTime(), 1773480713589],
    ['step_number', metadata.stepNumber, 42],
    ['status', metadata.status, 'running'],
    ['size_bytes', metadata.sizeBytes, 1419],
  ])('%s: is required', (key, value, expected) => {
    expect(value).toBe(expected);
    expect(() => CheckpointMetadata.fromDict({ ...METADATA, [key]: undefined })).toThrow(`${key} is missing`);
  });

  it('parent_checkpoint_id: None by default', () => {
    expect(metadata.parentCheckpointId).toBe(METADATA.parent_checkpoint_id);
    const { parent_checkpoint_id: _, ...rest } = METADATA;
    expect(CheckpointMetadata.fromDict(rest).parentCheckpointId).toBeUndefined();
  });

  it('to_dict: with the time in ISO format', () => {
    expect(Object.entries(metadata.toDict())).toEqual(Object.entries(METADATA));
    const root = new CheckpointMetadata({ ...metadata, parentCheckpointId: undefined });
    expect(root.toDict().parent_checkpoint_id).toBeNull();
  });

  it('from_dict: parses the time, and refuses other keys', () => {
    expect(CheckpointMetadata.fromDict(metadata.toDict())).toEqual(metadata);
    expect(() => CheckpointMetadata.fromDict({ ...METADATA, state: {} })).toThrow('no field state');
  });
});

describe('StateSnapshot', () => {
  const state = goldenState();

  it('state: a copy that never changes', () => {
    const own = goldenState();
    const snapshot = new StateSnapshot({ state: own });
    own.stepNumber = 99;
    own.metadata['api_key'] = 'other';
    expect(snapshot.state).toEqual(state);
    expect(() => ((snapshot.state as AgentState).stepNumber = 1)).toThrow(TypeError);
    expect(() => (snapshot.state.metadata['x'] = 1)).toThrow(TypeError);
    expect(Timestamp.isoformat(snapshot.state.timestamp)).toBe('2026-03-14T09:31:53.589793+00:00');
  });

  it('created_at: by default the time now', () => {
    expect(Date.now() - new StateSnapshot({ state }).createdAt.getTime()).toBeLessThan(1000);
  });

  it('snapshot_reason: manual by default', () => {
    expect(new StateSnapshot({ state }).snapshotReason).toBe('manual');
  });

  it.each([
    ['checkpoint_id', 'ckpt_601de0000001'],
    ['agent_id', 'research_agent'],
    ['step_number', 42],
    ['status', 'interrupted'],
    ['conversation_turns', 1],
    ['pending_actions', 1],
    ['completed_actions', 0],
    ['budget_spent_usd', 0],
    ['snapshot_reason', 'pre_deployment_validation'],
    ['created_at', '2026-01-02T03:04:05+00:00'],
  ])('get_summary: %s', (key, expected) => {
    const createdAt = new Date('2026-01-02T03:04:05Z');
    const snapshot = new StateSnapshot({ state, createdAt, snapshotReason: 'pre_deployment_validation' });
    expect(snapshot.getSummary()[key]).toBe(expected);
    expect(Object.keys(snapshot.getSummary())).toHaveLength(10);
  });
});
