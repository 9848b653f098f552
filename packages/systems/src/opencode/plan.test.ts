import type { CheckpointMeta, Plan, SystemRequest } from '@checkpoint-inspector/core';
import { allCheckpoints } from '@checkpoint-inspector/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { applyPlan, undoPlan } from '../test-executor.ts';
import { dropEvents, facts, openFixture, SESSIONS, type TestStore } from './test-store.ts';

let store: TestStore;
const open = (...args: Parameters<typeof openFixture>): TestStore => (store = openFixture(...args));
afterEach(() => store.close());

const listed = (name: string): Promise<CheckpointMeta[]> => allCheckpoints(store.source, SESSIONS[name] ?? '');
async function named(name: string, description: string): Promise<CheckpointMeta> {
  const found = (await listed(name)).find((meta) => meta.description === description);
  if (!found) throw new Error(`No checkpoint "${description}".`);
  return found;
}
const refOf = ({ taskId: task, id }: CheckpointMeta) => ({ task, id });
const planOf = (request: SystemRequest): Promise<Plan> => store.source.plan(request);
const revertOf = (task: string): unknown =>
  store.database.prepare<{ revert: unknown }>('SELECT revert FROM session WHERE id = ?').get(task)?.revert;
const warned = ({ view }: Plan): string[] => view.warnings.map(({ code }) => code);

describe('restore', () => {
  it('writes the marker before the next message and nothing else, and undo puts every row back', async () => {
    open();
    const before = store.dump();
    const plan = await planOf({ kind: 'restore', ref: refOf(await named('tools', 'Done.')) });
    const next = await named('tools', 'second turn');
    expect([plan.view.evicts.count, warned(plan)]).toEqual([8, ['files_stay', 'deleted_at_next_prompt']]);
    const { images } = await applyPlan(plan);
    expect(revertOf(next.taskId)).toBe(JSON.stringify({ messageID: next.id }));
    const [latest] = await listed('tools');
    expect([latest?.description, latest?.isLatest]).toEqual(['Done.', true]);
    const rest = (text: string) => text.split('\n').slice(1);
    expect(rest(store.dump())).toEqual(rest(before));
    await undoPlan(plan, images);
    expect(store.dump()).toBe(before);
  });

  it('a call is a point in its message: the marker names the part after it', async () => {
    open();
    const call = (await listed('tools')).find(({ description }) => description === 'bash: ls nope-none');
    const plan = await planOf({ kind: 'restore', ref: refOf(call ?? (await named('tools', 'Done.'))) });
    await applyPlan(plan);
    const marker = JSON.parse(String(revertOf(SESSIONS['tools'] ?? ''))) as { messageID: string; partID: string };
    expect(marker.partID > (call?.id ?? '~')).toBe(true);
    expect((await listed('tools'))[0]?.id).toBe(call?.id);
  });

  it('keeps the snapshot of files that an open revert has put aside', async () => {
    open();
    const plan = await planOf({ kind: 'restore', ref: refOf(await named('reverted-open', 'answer 2')) });
    await applyPlan(plan);
    const { snapshot } = facts.made['reverted-open'].revert;
    expect(JSON.parse(String(revertOf(SESSIONS['reverted-open'] ?? '')))).toMatchObject({
      messageID: (await named('reverted-open', 'question 3')).id,
      snapshot,
    });
    // Its end would need no marker, and then nothing would say where the files are.
    await expect(
      planOf({ kind: 'restore', ref: refOf(await named('reverted-open', 'answer 3')) }),
    ).rejects.toMatchObject({ code: 'unsupported', remedy: expect.stringContaining('unrevert') as string });
  });

  it('refuses the latest, and what opencode has deleted', async () => {
    open();
    await expect(planOf({ kind: 'restore', ref: refOf(await named('tools', 'Third answer.')) })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('already the latest') as string,
    });
    await expect(
      planOf({ kind: 'restore', ref: refOf(await named('reverted-continued', 'answer 3')) }),
    ).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('event log') as string });
  });

  it('says so of each before it is asked', async () => {
    open();
    const reasons = async (meta: CheckpointMeta) => (await store.source.capability?.(refOf(meta)))?.restore;
    expect(await reasons(await named('tools', 'Done.'))).toBeUndefined();
    expect(await reasons(await named('tools', 'Third answer.'))).toContain('already the latest');
    expect(await reasons(await named('reverted-continued', 'answer 3'))).toContain('Fork it');
  });

  it('warns of other calls that were running, which the state shows without their end', async () => {
    open();
    const calls = (await listed('long')).filter(({ description }) => description?.startsWith('bash: echo step-11-'));
    const codes = await Promise.all(
      calls.map(async (meta) => warned(await planOf({ kind: 'restore', ref: refOf(meta) }))),
    );
    expect(codes.some((one) => one.includes('parallel_calls'))).toBe(true);
    const alone = await planOf({ kind: 'restore', ref: refOf(await named('tools', 'bash: ls nope-none')) });
    expect(warned(alone)).not.toContain('parallel_calls');
  });

  it('writes nothing when opencode has gone on since the plan', async () => {
    open();
    const plan = await planOf({ kind: 'restore', ref: refOf(await named('tools', 'Done.')) });
    store.database.exec(`INSERT INTO message VALUES ('msg_zz', '${SESSIONS['tools']}', 1, 1, '{"role":"user"}')`);
    const before = store.dump();
    await expect(applyPlan(plan)).rejects.toMatchObject({ code: 'head_moved' });
    expect(store.dump()).toBe(before);
  });

  it('warns of an agent that may be running', async () => {
    const updated = facts.sessions.find(({ id }) => id === SESSIONS['tools'])?.time.updated ?? 0;
    open(undefined, () => new Date(updated + 5_000));
    expect(warned(await planOf({ kind: 'restore', ref: refOf(await named('tools', 'Done.')) }))).toContain(
      'agent_active',
    );
  });
});

interface Shown {
  readonly messages: readonly {
    readonly info: { readonly id: string; readonly role: string; readonly parentID?: string };
    readonly parts: readonly { readonly id: string; readonly messageID: string; readonly type: string }[];
  }[];
}
async function stateAt(task: string, id: string): Promise<Shown> {
  return JSON.parse((await store.source.state({ task, id }))?.text ?? '') as Shown;
}
/** Ids by their place, so that a copy can be compared with its original. */
function withoutIds(shown: Shown): string {
  const ids = shown.messages.flatMap(({ info, parts }) => [info.id, ...parts.map(({ id }) => id)]);
  const text = JSON.stringify(shown.messages).replaceAll(/ses_[0-9A-Za-z]{26}/g, 'session');
  return ids.reduce((done, id, at) => done.replaceAll(id, `#${at}`), text);
}

describe('fork', () => {
  it.each(['answer 1', 'write: r.txt', 'answer 3'])(
    'up to "%s", deleted or not: the same conversation under new ids',
    async (words) => {
      open();
      const before = store.dump();
      const ref = refOf(await named('reverted-continued', words));
      const plan = await planOf({ kind: 'fork', ref });
      const [head] = plan.view.writes.items;
      const { images } = await applyPlan(plan);
      const original = await stateAt(ref.task, ref.id);
      const copy = await stateAt(head?.ref.task ?? '', head?.ref.id ?? '');
      expect(withoutIds(copy)).toBe(withoutIds(original));
      const ids = new Set(copy.messages.map(({ info }) => info.id));
      const parents = copy.messages.flatMap(({ info }) => info.parentID ?? []);
      expect(parents.filter((id) => !ids.has(id))).toEqual([]);
      expect(copy.messages.map(({ info }) => info.id.slice(0, 16))).toEqual(
        original.messages.map(({ info }) => info.id.slice(0, 16)),
      );
      expect((await store.source.tasks()).items[0]).toMatchObject({
        id: head?.ref.task,
        title: 'reverted, went on (fork #1)',
      });
      await undoPlan(plan, images);
      expect(store.dump()).toBe(before);
    },
  );

  it('takes a name for the title, and refuses one that is a session or an id of its own', async () => {
    open();
    const ref = refOf(await named('tools', 'Done.'));
    const plan = await planOf({ kind: 'fork', ref, targetTask: 'Another way' });
    await applyPlan(plan);
    expect((await store.source.tasks()).items[0]).toMatchObject({ id: plan.view.targetTask, title: 'Another way' });
    const taken = { kind: 'fork', ref, targetTask: ref.task } as const;
    await expect(planOf(taken)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(planOf({ kind: 'fork', ref, id: 'mine' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('counts the tokens of what is copied as opencode counted its own fork, and forgets the marker of a revert', async () => {
    open();
    const ref = refOf(await named('tools', 'Second done.'));
    const plan = await planOf({ kind: 'fork', ref });
    await applyPlan(plan);
    const sql = 'SELECT cost, tokens_input, tokens_output, parent_id, revert FROM session WHERE id = ?';
    const own = { cost: 0, tokens_input: 690, tokens_output: 62, parent_id: null, revert: null };
    expect(store.database.prepare(sql).get(plan.view.targetTask ?? '')).toEqual(own);
    const reverted = await planOf({ kind: 'fork', ref: refOf(await named('reverted-open', 'answer 2')) });
    await applyPlan(reverted);
    expect(revertOf(reverted.view.targetTask ?? '')).toBeNull();
  });
});

describe('edit', () => {
  it.each([false, true])('is a fork with the edited text; where only rows are left: %s', async (isImport) => {
    open();
    if (isImport) dropEvents(store.database);
    const before = store.dump();
    const ref = refOf(await named('tools', 'Done.'));
    const text = (await store.source.state(ref))?.text ?? '';
    const plan = await planOf({ kind: 'edit', ref, text: text.replace('Done.', 'Not done.') });
    const { images } = await applyPlan(plan);
    const { ref: latest } = await store.source.latest(plan.view.targetTask ?? '');
    const state = latest && (await store.source.state(latest));
    expect(state?.text).toContain('"Not done."');
    expect(state?.revision).toBe(plan.view.proofHash);
    await undoPlan(plan, images);
    expect(store.dump()).toBe(before);
  });

  it.each([
    ['a session that differs', (text: string) => text.replace('"slug":"hidden-falcon"', '"slug":"x"'), '$.session'],
    ['no messages', () => '{"messages":[]}', '$.messages'],
    ['a message without an object', () => '{"messages":[{"info":1,"parts":[]}]}', '$.messages[0].info'],
    [
      'messages out of their order',
      () =>
        '{"messages":[{"info":{"id":"b","role":"user","time":{"created":2}},"parts":[]},{"info":{"id":"a","role":"user","time":{"created":1}},"parts":[]}]}',
      '$.messages[1].info',
    ],
  ])('refuses %s', async (_, change, path) => {
    open();
    const ref = refOf(await named('tools', 'Done.'));
    const text = change((await store.source.state(ref))?.text ?? '');
    await expect(planOf({ kind: 'edit', ref, text })).rejects.toMatchObject({ code: 'invalid_input', data: { path } });
  });
});
