/** The fixture against what Mastra itself answered about it. */
import { InspectorError } from '@checkpoint-inspector/core';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseSnapshot } from './snapshot.ts';
import { stateAfter } from './state-after.ts';
import { openFixture, type TestStore } from './test-store.ts';
import { answerOf, errorOf, requestsOf, stepsOf } from './view.ts';

interface SnapshotFacts {
  readonly status: string;
  readonly contextKeys: readonly string[];
  readonly contextCount: number;
  readonly stepStatus: Readonly<Record<string, string>>;
  readonly result?: unknown;
}
interface Facts {
  readonly runs: Readonly<
    Record<
      string,
      {
        readonly workflow: string;
        readonly runId: string;
        readonly status: string;
        readonly suspended?: readonly (readonly string[])[];
        readonly error?: string;
      }
    >
  >;
  readonly total: number;
  readonly list: readonly {
    readonly workflowName: string;
    readonly runId: string;
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly status: string;
  }[];
  readonly snapshots: Readonly<Record<string, SnapshotFacts>>;
}
const facts = JSON.parse(readFileSync(new URL('./fixtures/facts.json', import.meta.url), 'utf8')) as Facts;

/** Mastra's words and ours. */
const STATUSES: Readonly<Record<string, string>> = {
  success: 'completed',
  failed: 'failed',
  suspended: 'interrupted',
  running: 'running',
};

let store: TestStore | undefined;
afterEach(async () => store?.teardown());
const opened = async () => (store = await openFixture());

/** The row itself of every workflow: the newest checkpoint of its namespace. */
async function rows({ source }: TestStore) {
  const { items } = await source.tasks({ limit: 1000 });
  const metas = (await Promise.all(items.map(({ id }) => source.checkpoints(id, { limit: 1000 })))).flatMap(
    (page) => page.items,
  );
  const newest = new Map<string, (typeof metas)[number]>();
  for (const meta of metas) {
    const key = JSON.stringify([meta.taskId, meta.namespace ?? '']);
    if (!newest.has(key)) newest.set(key, meta);
  }
  return { tasks: items, rows: [...newest.values()] };
}

describe('the runs of the fixture', () => {
  it('are all there, with the status, the times and the steps that Mastra lists', async () => {
    const found = await rows(await opened());
    expect(found.rows).toHaveLength(facts.total);
    for (const { workflowName, runId, updatedAt, status } of facts.list) {
      const task = found.tasks.find(({ id }) => id === runId);
      const isRoot = task?.title === `${workflowName}: ${runId}`;
      const row = found.rows.find(
        (meta) => meta.taskId === runId && meta.namespace === (isRoot ? undefined : workflowName),
      );
      expect(row, runId).toMatchObject({ createdAt: updatedAt, status: STATUSES[status] });
    }
  });

  it('have the states that Mastra loads', async () => {
    const { source } = await opened();
    for (const { workflowName, runId } of facts.list) {
      const root = await source.latest(runId);
      const task = (await source.tasks({ limit: 1000 })).items.find(({ id }) => id === runId);
      if (!root.ref || task?.title !== `${workflowName}: ${runId}`) continue;
      const text = (await source.state(root.ref))?.text ?? '';
      const state = JSON.parse(text) as {
        status: string;
        result?: unknown;
        context: Record<string, { status: string }>;
      };
      const known = facts.snapshots[`${workflowName} ${runId}`];
      expect(state.status).toBe(known?.status);
      expect(state.result).toEqual(known?.result);
      const { input: _input, ...context } = state.context;
      expect(Object.keys(context)).toHaveLength(known?.contextCount ?? -1);
      for (const [id, status] of Object.entries(known?.stepStatus ?? {})) expect(context[id]?.status).toBe(status);
      const steps = stepsOf(text).filter(({ status }) => status !== 'pending');
      expect(steps.map(({ id }) => id)).toEqual(expect.arrayContaining([...(known?.contextKeys ?? [])]));
    }
  });

  it('have older states that their row alone gives, in any order', async () => {
    const { rows: newest } = await rows(await opened());
    const { source } = await opened();
    let compared = 0;
    for (const { taskId: task, namespace, id } of newest) {
      const own = namespace === undefined ? {} : { namespace };
      const text = (await source.state({ task, id, ...own }))?.text ?? '';
      const { items } = await source.checkpoints(task, { limit: 1000 });
      const older = items.filter((meta) => meta.namespace === namespace && meta.id !== id);
      for (const { id: step, stepIndex = 0 } of [...older, ...older.toReversed()]) {
        const state = await source.state({ task, id: step, ...own });
        expect(state?.text, `${namespace} ${step}`).toBe(stateAfter(parseSnapshot(text), stepIndex));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(250);
  });

  it('wait for the answers that Mastra waits for, and failed with its error', async () => {
    const { source } = await opened();
    for (const { runId, status, suspended, error } of Object.values(facts.runs)) {
      const { ref } = await source.latest(runId);
      const text = (ref && (await source.state(ref))?.text) ?? '';
      expect(
        requestsOf(text)
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual((status === 'suspended' ? (suspended ?? []) : []).map((path) => path.join('.')).toSorted());
      expect(errorOf(text)).toBe(error);
      expect((await source.tasks({ text: runId })).items[0]?.lastError).toBe(error);
    }
  });

  it("have the agent's own call for what an agent asks, and no call of its own for a workflow", async () => {
    const { source } = await opened();
    const agent = '161c3d98-83ba-4d9f-a564-005b4af1dd61';
    const calls = await Promise.all(
      [agent, 'run-wait'].map(async (run) => {
        const { ref } = await source.latest(run);
        return answerOf((ref && (await source.state(ref))?.text) ?? '');
      }),
    );
    expect(calls).toEqual([`await agent.approveToolCall({ runId: "${agent}", toolCallId: "call_0137_0" })`, undefined]);
  });

  it('show a question as it was asked, without what Mastra adds to it', async () => {
    const { source } = await opened();
    const asked = async (run: string) => {
      const { ref } = await source.latest(run);
      return requestsOf((ref && (await source.state(ref))?.text) ?? '');
    };
    expect(await asked('nest-wait')).toEqual([
      { id: 'research-sub.pick', from: 'research-sub', text: '{"question":"Which hit?","choices":[1,2,3]}' },
    ]);
    expect(await asked('161c3d98-83ba-4d9f-a564-005b4af1dd61')).toMatchObject([
      { text: '{"toolCallId":"call_0137_0","toolName":"refund","args":{"amount":30}}' },
    ]);
    expect((await asked('pw-1')).map(({ id }) => id)).toEqual(['legal', 'finance']);
  });
});

it('a run of a long chain has a checkpoint for each step, and says of what they are made', async () => {
  const { source } = await opened();
  const state = await source.state({ task: 'long-1', id: 'long-1:40' });
  const value = JSON.parse(state?.text ?? '') as {
    status: string;
    context: object;
    stepExecutionPath: string[];
    activePaths: number[];
    result?: unknown;
  };
  expect(state?.derived).toContain('one row');
  expect(Object.keys(value.context)).toHaveLength(42);
  expect(value).toMatchObject({ status: 'running', activePaths: [40], activeStepsPath: { s040: [40] } });
  expect([value.stepExecutionPath.length, value.stepExecutionPath.at(-1), value.result]).toEqual([
    41,
    's040',
    undefined,
  ]);
  expect((await source.state({ task: 'long-1', id: 'long-1:110' }))?.derived).toBeUndefined();
});

it('a loop names its iterations, of which one is kept', async () => {
  const { source } = await opened();
  expect((await source.meta({ task: 'loop-1', id: 'loop-1:1' }))?.description).toBe('tick (12 iterations)');
});

it('text is read as the binary form is, and a damaged row is listed with its reason', async () => {
  store = await openFixture((database) => {
    database.exec("UPDATE mastra_workflow_snapshot SET snapshot = json_pretty(snapshot) WHERE run_id = 'run-paid'");
    database.exec("UPDATE mastra_workflow_snapshot SET snapshot = '{\"status\": ' WHERE run_id = 'run-wait'");
  });
  const { items } = await store.source.checkpoints('run-paid');
  expect(items.map(({ id }) => id)).toEqual(['run-paid:3', 'run-paid:2', 'run-paid:1', 'run-paid:0']);
  expect((await store.source.state({ task: 'run-paid', id: 'run-paid:3' }))?.text).toContain('\n');
  const bad = (await store.source.checkpoints('run-wait')).items[0];
  expect(bad).toMatchObject({ id: 'run-wait:row', problem: { code: 'unreadable', offset: 11 } });
  await expect(store.source.state({ task: 'run-wait', id: 'run-wait:row' })).rejects.toBeInstanceOf(InspectorError);
});

it('a row that is written while it is open is read again', async () => {
  const { source, database } = await opened();
  expect((await source.latest('run-wait')).ref?.id).toBe('run-wait:1');
  const [now, sizes] = [
    new Date().toISOString(),
    ['{"status":"running","context":{"input":1}}', '{"status":"success","context":{"input":1}}'],
  ];
  for (const [at, text] of sizes.entries()) {
    database
      .prepare("UPDATE mastra_workflow_snapshot SET snapshot = ?, updatedAt = ? WHERE run_id = 'run-wait'")
      .run(text, now);
    expect((await source.meta({ task: 'run-wait', id: 'run-wait:0' }))?.status).toBe(['running', 'completed'][at]);
  }
});

it('a row of 10 MB with a question of nested lists is read in parts of a second', async () => {
  const big = 'x'.repeat(10 * 1024 * 1024);
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  store = await openFixture((database) => {
    database
      .prepare(
        "UPDATE mastra_workflow_snapshot SET snapshot = json_set(json(snapshot), '$.context.input', ?) WHERE run_id = 'run-paid'",
      )
      .run(big);
    database
      .prepare("UPDATE mastra_workflow_snapshot SET snapshot = ? WHERE run_id = 'run-wait'")
      .run(`{"context":${deep},"x":"\u202e<b>"}`);
  });
  expect((await store.source.checkpoints('run-paid')).items).toHaveLength(4);
  expect((await store.source.state({ task: 'run-paid', id: 'run-paid:0' }))?.text).toContain(big);
  expect((await store.source.checkpoints('run-wait')).items).toHaveLength(1);
});
