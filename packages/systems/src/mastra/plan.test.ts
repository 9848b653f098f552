import type { Plan, SystemRequest } from '@checkpoint-inspector/core';
import { afterEach, describe, expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { openFixture, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => store?.teardown());
const opened = async (...change: Parameters<typeof openFixture>) => (store = await openFixture(...change));
const at = (task: string, index: number) => ({ task, id: `${task}:${index}` });
const codes = ({ view }: Plan) => view.warnings.map(({ code }) => code);
const kindOf = ({ database }: TestStore, run: string) =>
  database
    .prepare<{ t: string }>('SELECT typeof(snapshot) AS t FROM mastra_workflow_snapshot WHERE run_id = ?')
    .get(run)?.t;

async function refused({ source }: TestStore, request: SystemRequest): Promise<unknown> {
  return source.plan(request).then(
    () => 'planned',
    (error: unknown) => error,
  );
}

describe('going back', () => {
  it('to a waiting point writes what Mastra waits with, in the form of the row, and undo puts every byte back', async () => {
    const one = await opened();
    const before = one.dump();
    const plan = await one.source.plan({ kind: 'restore', ref: at('run-paid', 1) });
    expect(plan.view.writes.items).toMatchObject([
      { ref: at('run-paid', 1), where: 'one row of mastra_workflow_snapshot' },
    ]);
    expect(plan.view.removes.items.map(({ ref }) => ref.id)).toEqual(['run-paid:2', 'run-paid:3']);
    expect(codes(plan)).toEqual(['steps_run_again', 'question_lost']);
    expect(plan.view.warnings[0]?.message).toBe(
      'approve and the steps after it will run again, including any side effects.',
    );
    await one.apply(plan);
    expect(kindOf(one, 'run-paid')).toBe('blob');
    const text = (await one.source.state(at('run-paid', 1)))?.text ?? '';
    expect(JSON.parse(text)).toMatchObject({
      status: 'suspended',
      context: { input: { amount: 5 }, draft: { status: 'success' }, approve: { status: 'suspended' } },
      suspendedPaths: { approve: [1] },
      activePaths: [1],
      stepExecutionPath: ['draft', 'approve'],
    });
    expect(text).not.toMatch(/"resumePayload"|"result"|"pay":/);
    expect((await one.source.tasks({ text: 'run-paid' })).items[0]).toMatchObject({
      status: 'interrupted',
      checkpointCount: 2,
    });
    await one.undo();
    expect(one.dump()).toBe(before);
  });

  it('of a row that is text writes text', async () => {
    const one = await opened((database) => {
      database.exec("UPDATE mastra_workflow_snapshot SET snapshot = json(snapshot) WHERE run_id = 'run-paid'");
    });
    await one.apply(await one.source.plan({ kind: 'restore', ref: at('run-paid', 0) }));
    expect(kindOf(one, 'run-paid')).toBe('text');
    expect((await one.source.latest('run-paid')).ref).toEqual(at('run-paid', 0));
  });

  it('before a nested run deletes its row, which would be gone on from; behind it keeps it', async () => {
    const one = await opened();
    const nested = { task: 'nest-1', namespace: 'research-sub', id: 'nest-1:2' };
    const before = await one.source.plan({ kind: 'restore', ref: at('nest-1', 1) });
    expect(before.view.removes.items.map(({ ref }) => ref)).toContainEqual(nested);
    const behind = await one.source.plan({ kind: 'restore', ref: at('nest-1', 2) });
    expect(behind.view.removes.items.map(({ ref }) => ref.id)).toEqual(['nest-1:3']);
    await one.apply(behind);
    expect(await one.source.state(nested)).toBeDefined();
  });

  it('to where the row is, in a nested run, or in an agent, is refused with the reason', async () => {
    const one = await opened();
    expect(await refused(one, { kind: 'restore', ref: at('run-paid', 3) })).toMatchObject({ code: 'invalid_input' });
    const nested = { task: 'nest-1', namespace: 'research-sub', id: 'nest-1:1' };
    for (const kind of ['restore', 'fork'] as const)
      expect(await refused(one, { kind, ref: nested })).toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('nested'),
      });
    const agent = at('161c3d98-83ba-4d9f-a564-005b4af1dd61', 0);
    expect(await refused(one, { kind: 'fork', ref: agent })).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('agent'),
    });
    expect(await one.source.capability?.(agent)).toMatchObject({ fork: expect.stringContaining('agent') });
  });

  it('warns of shared state that Mastra keeps in its last version only', async () => {
    const one = await opened();
    expect(codes(await one.source.plan({ kind: 'restore', ref: at('loop-1', 0) }))).toEqual([
      'steps_run_again',
      'shared_state_kept',
    ]);
  });

  it('is refused where the row was written since, with nothing changed', async () => {
    const one = await opened();
    const plan = await one.source.plan({ kind: 'restore', ref: at('run-paid', 1) });
    one.database.exec("UPDATE mastra_workflow_snapshot SET snapshot = jsonb('{}') WHERE run_id = 'run-paid'");
    const before = one.dump();
    await expect(executor().apply(plan)).rejects.toMatchObject({ code: 'changed' });
    expect(one.dump()).toBe(before);
  });
});

describe('a copy', () => {
  it('has the rows of nested runs under the new id, so that the original is not gone on with', async () => {
    const one = await opened();
    const plan = await one.source.plan({ kind: 'fork', ref: at('nest-wait', 1) });
    expect(plan.view).toMatchObject({ targetTask: 'nest-wait-fork', latestAfter: at('nest-wait-fork', 1) });
    await one.apply(plan);
    const texts = one.database
      .prepare<{ t: string }>(
        "SELECT json(snapshot) AS t FROM mastra_workflow_snapshot WHERE run_id = 'nest-wait-fork' ORDER BY rowid",
      )
      .all()
      .map(({ t }) => JSON.parse(t) as object);
    expect(texts).toMatchObject([
      {
        runId: 'nest-wait-fork',
        context: {
          'research-sub': { suspendPayload: { __workflow_meta: { runId: 'nest-wait-fork', path: ['pick'] } } },
        },
      },
      { runId: 'nest-wait-fork', context: { pick: { status: 'suspended' } } },
    ]);
    expect(plan.view.next).toContain('run.resume({ step: ["research-sub", "pick"], resumeData: … })');
    expect((await one.source.lineage('nest-wait-fork')[Symbol.asyncIterator]().next()).value).toMatchObject({ seq: 1 });
  });

  it('leaves text that only contains the id, takes no id that is taken, and none for a checkpoint', async () => {
    const one = await opened((database) => {
      database.exec(
        "UPDATE mastra_workflow_snapshot SET snapshot = jsonb_set(snapshot, '$.context.input', jsonb('{\"runId\":\"run-paid\"}')) WHERE run_id = 'run-paid'",
      );
    });
    await one.apply(await one.source.plan({ kind: 'fork', ref: at('run-paid', 3), targetTask: 'b' }));
    expect(JSON.parse((await one.source.state(at('b', 3)))?.text ?? '')).toMatchObject({
      runId: 'b',
      context: { input: { runId: 'run-paid' } },
    });
    for (const more of [{ targetTask: 'b' }, { targetTask: '' }, { id: 'x' }])
      expect(await refused(one, { kind: 'fork', ref: at('run-paid', 3), ...more })).toMatchObject({
        code: 'invalid_input',
      });
  });

  it('that is edited is one row, which reads back as the text under its own id, and says where to travel to', async () => {
    const one = await opened();
    const text = (await one.source.state(at('run-paid', 3)))?.text ?? '';
    const edited = text.replace(
      '"output":{"amount":5,"to":"Bob","status":"drafted"}',
      '"output": {"amount": 6.0, "to": "Bob"}',
    );
    const plan = await one.source.plan({ kind: 'edit', ref: at('run-paid', 3), text: edited });
    expect(plan.view.next).toContain('run.timeTravel({ step: "approve" })');
    expect(plan.view.sidecar).toEqual([{ child: at('run-paid-fork', 3), parent: at('run-paid', 3) }]);
    await one.apply(plan);
    const state = await one.source.state(at('run-paid-fork', 3));
    expect(state?.revision).toBe(plan.view.proofHash);
    expect(state?.text).toContain('"output":{"amount":6.0,"to":"Bob"}');
    expect((await one.source.state(at('run-paid', 3)))?.text).toBe(text);
  });
});

describe('a deletion', () => {
  it('of the newest takes the whole run, nested runs too; a part of a run is refused', async () => {
    const one = await opened();
    const before = one.dump();
    expect(await refused(one, { kind: 'delete', refs: [at('nest-1', 1)] })).toMatchObject({ code: 'unsupported' });
    const plan = await one.source.plan({ kind: 'delete', refs: [at('nest-1', 3)] });
    expect([plan.view.removes.count, codes(plan)]).toEqual([7, ['task_emptied']]);
    await one.apply(plan);
    const left = "SELECT count(*) AS n FROM mastra_workflow_snapshot WHERE run_id = 'nest-1'";
    expect(one.database.prepare<{ n: number }>(left).get()?.n).toBe(0);
    await one.undo();
    expect(one.dump()).toBe(before);
  });

  it('of a damaged run is planned too', async () => {
    const one = await opened((database) => {
      database.exec("UPDATE mastra_workflow_snapshot SET snapshot = x'ff00' WHERE run_id = 'run-wait'");
    });
    await one.apply(await one.source.plan({ kind: 'delete', refs: [{ task: 'run-wait', id: 'run-wait:row' }] }));
    expect((await one.source.checkpoints('run-wait')).items).toEqual([]);
  });
});
