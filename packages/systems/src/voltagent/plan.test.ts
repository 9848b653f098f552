import type { Plan, SystemRequest } from '@checkpoint-inspector/core';
import { afterEach, expect, it } from 'vitest';
import { executor } from '../test-executor.ts';
import { openFixture, STATES, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => store?.teardown());
const opened = async (...change: Parameters<typeof openFixture>) => (store = await openFixture(...change));
const at = (task: string, index: number) => ({ task, id: `${task}:${index}` });
const codes = ({ view }: Plan) => view.warnings.map(({ code }) => code);
const refused = ({ source }: TestStore, request: SystemRequest): Promise<unknown> =>
  source.plan(request).then(
    () => 'planned',
    (error: unknown) => error,
  );

it('going back to a waiting point writes a suspension, clears the result, and is undone byte for byte', async () => {
  const one = await opened();
  const before = one.dump();
  const plan = await one.source.plan({ kind: 'restore', ref: at('paid-1', 1) });
  expect(codes(plan)).toEqual(['steps_run_again', 'events_lost', 'question_lost']);
  expect(plan.view.removes.items.map(({ ref }) => ref.id)).toEqual(['paid-1:2', 'paid-1:3']);
  await one.apply(plan);
  const row = one.database.prepare<Record<string, string | null>>(`SELECT * FROM ${STATES} WHERE id = 'paid-1'`).get();
  expect(row).toMatchObject({ status: 'suspended', output: null, created_at: '2026-11-22T03:01:32.876Z' });
  expect(JSON.parse(row?.['suspension'] ?? '')).toMatchObject({
    stepIndex: 1,
    checkpoint: { stepExecutionState: { amount: 5, status: 'drafted' }, completedStepsData: [{ stepId: 'draft' }] },
  });
  expect(row?.['metadata']).not.toContain('resumedAt');
  await one.undo();
  expect(one.dump()).toBe(before);
});

it('a failed execution goes back to before the step that failed, without its error', async () => {
  const one = await opened();
  const plan = await one.source.plan({ kind: 'restore', ref: at('fail-1', 1) });
  expect(plan.view.next).toBe('await workflow.restart("fail-1")');
  await one.apply(plan);
  const [task] = (await one.source.tasks({ text: 'fail-1' })).items;
  expect([task?.status, task?.lastError, task?.checkpointCount]).toEqual(['running', undefined, 2]);
});

it('a copy has its own id, and the text of an edit; a member that VoltAgent has no column for is refused', async () => {
  const one = await opened();
  const text = (await one.source.state(at('paid-1', 3)))?.text ?? '';
  const edited = text.replace('"input":{"amount":5', '"input": {"amount": 6.0');
  await one.apply(await one.source.plan({ kind: 'edit', ref: at('paid-1', 3), text: edited, targetTask: 'b' }));
  const state = (await one.source.state(at('b', 3)))?.text ?? '';
  expect([state.startsWith('{"id":"b",'), state.includes('"input":{"amount": 6.0')]).toEqual([true, true]);
  expect((await one.source.state(at('paid-1', 3)))?.text).toBe(text);
  for (const wrong of ['[]', '{"id":"x","surprise":1}', '{"status":1}'])
    expect(await refused(one, { kind: 'edit', ref: at('paid-1', 3), text: wrong })).toMatchObject({
      code: 'invalid_input',
    });
});

it('a deletion takes the whole execution; a change to the row stops it', async () => {
  const one = await opened();
  expect(await refused(one, { kind: 'delete', refs: [at('paid-1', 1)] })).toMatchObject({ code: 'unsupported' });
  const plan = await one.source.plan({ kind: 'delete', refs: [at('paid-1', 3)] });
  one.database.exec(`UPDATE ${STATES} SET output = '{}' WHERE id = 'paid-1'`);
  await expect(executor().apply(plan)).rejects.toMatchObject({ code: 'changed' });
  await one.apply(await one.source.plan({ kind: 'delete', refs: [at('paid-1', 3)] }));
  expect((await one.source.checkpoints('paid-1')).items).toEqual([]);
});
