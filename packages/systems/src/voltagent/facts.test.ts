/** The fixture against what VoltAgent itself answered about it. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { insertRow } from '../run-row/test-store.ts';
import { parseExecution } from './execution.ts';
import { stateAfter } from './state-after.ts';
import { openFixture, STATES, type TestStore } from './test-store.ts';
import { errorOf, requestsOf, stepsOf } from './view.ts';

interface Facts {
  readonly runs: Readonly<Record<string, { readonly id: string; readonly status?: string; readonly error?: string }>>;
  readonly list: readonly {
    readonly id: string;
    readonly workflowId: string;
    readonly status: string;
    readonly updatedAt: string;
    readonly events: number;
    readonly output?: unknown;
    readonly workflowState?: unknown;
    readonly metadataKeys: readonly string[];
    readonly suspension?: { readonly stepIndex: number; readonly completed: number };
  }[];
}
const facts = JSON.parse(readFileSync(new URL('./fixtures/facts.json', import.meta.url), 'utf8')) as Facts;

/** VoltAgent's words and ours. */
const STATUSES: Readonly<Record<string, string>> = {
  completed: 'completed',
  error: 'failed',
  suspended: 'interrupted',
  running: 'running',
};

let store: TestStore | undefined;
afterEach(async () => store?.teardown());
const opened = async (...change: Parameters<typeof openFixture>) => (store = await openFixture(...change));
const textOf = async ({ source }: TestStore, id: string): Promise<string> => {
  const { ref } = await source.latest(id);
  return (ref && (await source.state(ref))?.text) ?? '';
};

describe('the executions of the fixture', () => {
  it('are all there, with the status, the time, the result and the events that VoltAgent lists', async () => {
    const one = await opened();
    const { items } = await one.source.tasks({ limit: 1000 });
    expect(items).toHaveLength(facts.list.length);
    for (const { id, workflowId, status, updatedAt, events, output, workflowState, metadataKeys } of facts.list) {
      expect(
        items.find((task) => task.id === id),
        id,
      ).toMatchObject({
        title: `${workflowId}: ${id}`,
        status: STATUSES[status],
        updatedAt,
      });
      const state = JSON.parse(await textOf(one, id)) as Record<string, unknown> & {
        events: object[];
        metadata: object;
      };
      expect([state['status'], state.events.length, state['output']]).toEqual([status, events, output]);
      expect(state['workflowState']).toEqual(workflowState);
      expect(Object.keys(state.metadata).toSorted()).toEqual([...metadataKeys].toSorted());
    }
  });

  it('have older states that their row alone gives, in any order', async () => {
    const { source } = await opened();
    let compared = 0;
    for (const { id: task } of (await source.tasks({ limit: 1000 })).items) {
      const [row, ...older] = (await source.checkpoints(task, { limit: 1000 })).items;
      const text = (await source.state({ task, id: row?.id ?? '' }))?.text ?? '';
      for (const { id, stepIndex = 0 } of [...older, ...older.toReversed()]) {
        const state = await source.state({ task, id });
        expect(state?.text, id).toBe(stateAfter(parseExecution(text), stepIndex));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(40);
  });

  it('wait with their question, and fail with their error', async () => {
    const one = await opened();
    expect(requestsOf(await textOf(one, 'wait-1'))).toEqual([
      { id: 'approve', text: '{"question":"Pay 120 to ACME?"}' },
    ]);
    for (const { id, error } of Object.values(facts.runs)) {
      const text = await textOf(one, id);
      expect(errorOf(text)).toBe(error);
      if (id !== 'wait-1') expect(requestsOf(text)).toEqual([]);
    }
    expect(stepsOf(await textOf(one, 'fail-1'))).toMatchObject([
      { id: 'download', status: 'success' },
      { id: 'parse', status: 'error', errors: ['upstream returned HTML'] },
    ]);
  });

  it('name the execution that they were replayed from, before the step that they were replayed with', async () => {
    const { source } = await opened();
    const first = (await source.checkpoints('681dc3c0-156c-4738-b9d3-a5b51acdbd3c')).items.at(-1);
    expect(first).toMatchObject({ lineage: 'recorded', parentId: 'fail-2:1', parentTaskId: 'fail-2' });
  });
});

it('a state after some steps has the checkpoint that VoltAgent itself had then', async () => {
  const { source } = await opened();
  const state = await source.state({ task: 'long-1', id: 'long-1:40' });
  expect(state?.derived).toContain('one row');
  const value = JSON.parse(state?.text ?? '') as { events: object[]; metadata: Record<string, object> };
  expect(value).toMatchObject({ status: 'running' });
  expect(value.events).toHaveLength(81);
  expect(value.metadata['__voltagent_restart_checkpoint']).toMatchObject({
    resumeStepIndex: 40,
    lastCompletedStepIndex: 39,
    stepExecutionState: { n: 40 },
    completedStepsData: { length: 40 },
  });
  // As the killed execution's own row has it.
  const crashed = JSON.parse(await textOf(await opened(), 'crashed-1')) as { metadata: Record<string, object> };
  expect(Object.keys(crashed.metadata['__voltagent_restart_checkpoint'] ?? {})).toEqual(
    Object.keys(value.metadata['__voltagent_restart_checkpoint'] ?? {}),
  );
});

it('without checkpoints the steps are those of the events', async () => {
  const one = await opened((database) => {
    database.exec(
      `UPDATE ${STATES} SET metadata = json_remove(metadata, '$.__voltagent_restart_checkpoint') WHERE id = 'lin-1'`,
    );
  });
  const { items } = await one.source.checkpoints('lin-1');
  expect(items.map(({ description }) => description)).toEqual(['format', 'sum', 'collect', 'input']);
  const state = JSON.parse((await one.source.state({ task: 'lin-1', id: 'lin-1:2' }))?.text ?? '') as object;
  expect(state).toMatchObject({
    metadata: { __voltagent_restart_checkpoint: { stepData: { sum: { input: { items: [2, 4, 6] } } } } },
  });
});

it('an execution that names itself, or one that names it too, as its origin has a tree all the same', async () => {
  const replay = (of: string) =>
    `json_set(metadata, '$.replayedFromExecutionId', '${of}', '$.replayFromStepId', 'sum')`;
  const one = await opened((database) => {
    database.exec(`UPDATE ${STATES} SET metadata = ${replay('lin-1')} WHERE id = 'lin-1'`);
    database.exec(`UPDATE ${STATES} SET metadata = ${replay('paid-2')} WHERE id = 'paid-1'`);
    database.exec(`UPDATE ${STATES} SET metadata = ${replay('paid-1')} WHERE id = 'paid-2'`);
  });
  const parents = async (task: string) => {
    const found: unknown[] = [];
    for await (const { parent } of one.source.lineage(task)) found.push(parent?.id);
    return found;
  };
  expect(await parents('lin-1')).toEqual([undefined, 'lin-1:0', 'lin-1:1', 'lin-1:2']);
  expect((await parents('paid-1'))[0]).toBe('paid-2:0');
  expect((await parents('paid-2'))[0]).toBe('paid-1:0');
});

it('a table under another prefix is a store of its own, and a damaged row is listed with the column and the place', async () => {
  const one = await opened((database) => {
    const { sql } = database
      .prepare<{ sql: string }>(`SELECT sql FROM sqlite_schema WHERE name = '${STATES}'`)
      .get() ?? {
      sql: '',
    };
    database.exec(sql.replace(STATES, '"my app_workflow_states"'));
    insertRow(database, '"my app_workflow_states"', {
      id: 'x',
      workflow_id: 'w',
      workflow_name: 'w',
      status: 'running',
      events: '[{"a": }]',
      created_at: '2026-11-22T01:00:00.000Z',
      updated_at: '2026-11-22T01:00:01.000Z',
    });
  });
  expect(one.sources.map(({ info }) => info.label)).toEqual([
    'voltagent/my app/runs',
    'voltagent/voltagent_memory/runs',
    'voltagent/voltagent_memory/conversations',
  ]);
  expect((await one.source.checkpoints('x')).items).toMatchObject([
    { id: 'x:row', problem: { code: 'unreadable', offset: 7, message: expect.stringContaining('column events') } },
  ]);
});

it('a row of 10 MB is read', async () => {
  const one = await opened((database) => {
    database
      .prepare(`UPDATE ${STATES} SET input = ? WHERE id = 'lin-1'`)
      .run(JSON.stringify({ big: 'x\u202e<b>'.repeat(1024 * 1024) }));
  });
  expect((await one.source.checkpoints('lin-1')).items).toHaveLength(4);
  expect((await one.source.state({ task: 'lin-1', id: 'lin-1:0' }))?.text.length).toBeGreaterThan(5_000_000);
});
