/** Edits made here, judged by the original's rules. */
import { patchJson, setMember, type EditRequest, type JsonEdit, type Plan } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Original } from './testing/original.ts';
import { DEMO, documentDdl, insert, openFixture, openRows, rowOf, toolState, type TestStore } from './test-store.ts';

let store: TestStore;
let original: Original;
beforeEach(async () => {
  store = await openFixture();
  original = new Original(store.path, DEMO);
});
afterEach(async () => {
  original.close();
  await store.close();
});

const ref = (id: string, task: string) => ({ task, id });
const ok = (step: string) => `${step} again`;
const idAt = (rowid: number) =>
  store.database.prepare<{ id: string }>(`SELECT id FROM ${DEMO} WHERE rowid = ?`).get(rowid)?.id ?? '';

async function edit(
  task: string,
  id: string,
  edits: readonly JsonEdit[],
  more: Partial<EditRequest> = {},
): Promise<Plan> {
  const text = patchJson((await store.source.state(ref(id, task)))?.text ?? '', edits);
  const plan = await store.source.plan({ kind: 'edit', ref: ref(id, task), text, ...more });
  await store.apply(plan);
  const { ref: latest } = await store.source.latest(plan.view.targetTask ?? task);
  expect(latest).toEqual(plan.view.latestAfter);
  expect((await (latest && store.source.state(latest)))?.revision).toBe(plan.view.proofHash);
  return plan;
}

const QUERY: JsonEdit = { path: ['query'], text: '"another question"' };

describe('executor sessions', () => {
  test.each([
    ['etl-nightly, before its failure', 'etl-nightly', 12, ['s3', 's4', 's5']],
    ['shadow, the old run', 'shadow', 34, ['s3', 's4', 's5', 's6']],
    ['long, its oldest', 'long', 23, ['s7', 's8', 's9', 's10', 's11', 's12', 's13', 's14']],
  ])('%s: a resumed run continues from the edited state to the end', async (_, session, rowid, steps) => {
    const id = idAt(rowid);
    const before = await store.source.state(ref(id, session));
    const plan = await edit(session, id, [QUERY], { reason: 'ask again', author: 'Ann' });
    const loaded = original.loadLatest(session);
    expect([loaded?.id, loaded?.state.query]).toEqual([plan.view.latestAfter?.id, 'another question']);
    const { ran, saved, isDone } = original.resume(session, ok);
    expect([ran, isDone]).toEqual([steps, true]);
    expect(original.loadLatest(session)?.id).toBe(saved.at(-1));
    expect(await store.source.state(ref(id, session)).then((state) => state ?? before)).toEqual(before);
    const child = (await store.source.checkpoints(session)).items.find((item) => item.id === plan.view.latestAfter?.id);
    if (child) expect(child).toMatchObject({ trigger: 'manual', description: 'Edited by Ann: ask again' });
  });

  test('the latest is edited without moving anything, and the failure before it stays', async () => {
    const latest = original.loadLatest('etl-nightly')?.id ?? '';
    const plan = await edit('etl-nightly', latest, [QUERY]);
    expect(plan.view).toMatchObject({ writes: { count: 1 }, moves: { count: 0 }, removes: { count: 0 } });
    expect(plan.view.sidecar).toEqual([{ child: plan.view.latestAfter, parent: ref(latest, 'etl-nightly') }]);
    expect(original.loadLatest('etl-nightly')?.id).toBe(plan.view.latestAfter?.id);
  });

  test('a lower currentStepIndex begins there: the original would take precedence over it, so it is moved aside too', async () => {
    for (let n = 1; n <= 4; n++) insert(store.database, DEMO, rowOf(`m-${n}`, n, { session_id: 'm' }));
    const bytes = await store.source.raw?.(ref('m-3', 'm'));
    const again = [1, 2].map((n) => ({ path: ['plan', n, 'status'], text: '"pending"' }));
    const plan = await edit('m', 'm-3', [{ path: ['currentStepIndex'], text: '1' }, ...again]);
    expect(plan.view.moves.items.map((item) => item.ref.id)).toEqual(['m-4', 'm-3', 'm-2']);
    expect(plan.view.warnings.map(({ code }) => code)).toEqual(['original_moved', 'steps_run_again']);
    const kept = plan.view.moves.items.find((item) => item.ref.id === 'm-3')?.to;
    expect(plan.view.sidecar?.[0]?.parent).toEqual(kept);
    expect(kept && (await store.source.raw?.(kept))).toEqual(bytes);
    expect(original.resume('m', ok).ran.slice(0, 2)).toEqual(['s1', 's2']);
  });

  test('of equal steps the edit is the newer one, even where the other lies in the future', async () => {
    const future = '2099-01-01T00:00:00.000Z';
    insert(store.database, DEMO, rowOf('f-1', 1, { session_id: 'f', created_at: future }));
    const plan = await edit('f', 'f-1', [QUERY]);
    expect(original.loadLatest('f')?.id).toBe(plan.view.latestAfter?.id);
    const [first] = (await store.source.checkpoints('f')).items;
    expect(first).toMatchObject({ id: plan.view.latestAfter?.id, createdAt: '2099-01-01T00:00:00.001Z' });
  });

  test('names what the next save of a resumed run evicts, the edit counted', async () => {
    for (let n = 1; n <= 10; n++) insert(store.database, DEMO, rowOf(`many-${n}`, n, { session_id: 'many' }));
    const plan = await edit('many', 'many-10', [QUERY]);
    expect(plan.view.evicts.items.map((item) => item.ref.id)).toEqual(['many-2', 'many-1']);
    original.resume('many', ok);
    expect(original.pruned.slice(0, 2).toSorted()).toEqual(['many-1', 'many-2']);
  });

  test('a plan without a step to file it under is refused', async () => {
    const id = original.loadLatest('etl-nightly')?.id ?? '';
    await expect(edit('etl-nightly', id, [{ path: ['currentStepIndex'], text: '"2"' }])).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(edit('etl-nightly', id, [{ path: ['query'], text: 'NaN' }])).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('NaN, which ctx-sys cannot read'),
    });
  });
});

describe('sessions of the MCP tool', () => {
  test('the edit is what is loaded, and later saves go above it', async () => {
    const session = 'mcp-исследование';
    const plan = await edit(session, idAt(1), [{ path: ['context', 'n'], text: '1.50' }]);
    expect(plan.view).toMatchObject({ writes: { count: 1 }, moves: { count: 0 } });
    const loaded = original.loadLatest(session);
    expect([loaded?.id, loaded?.state.context]).toMatchObject([plan.view.latestAfter?.id, { n: 1.5 }]);
    const id = original.toolSave(session, { n: 9 });
    expect(original.loadLatest(session)?.id).toBe(id);
  });

  test("the step is the session's to count: one in the text is replaced, with a warning", async () => {
    insert(store.database, DEMO, rowOf('tool', 2, { session_id: 'tool', state_json: toolState(2) }));
    const plan = await edit('tool', 'tool', [{ path: ['currentStepIndex'], text: '70' }]);
    expect(plan.view.warnings.map(({ code }) => code)).toEqual(['set_by_save']);
    expect(original.loadLatest('tool')).toMatchObject({ step: 3, state: { currentStepIndex: 3 } });
  });
});

describe('elsewhere', () => {
  test('into a new session it is alone, under its own step', async () => {
    const id = idAt(23);
    const before = store.dump();
    const plan = await edit('long', id, [QUERY], { targetTask: 'long again' });
    expect(plan.view).toMatchObject({ targetTask: 'long again', moves: { count: 0 } });
    expect(original.loadLatest('long again')).toMatchObject({
      id: plan.view.latestAfter?.id,
      state: { query: 'another question' },
    });
    expect(original.resume('long again', ok).isDone).toBe(true);
    expect(store.dump()).toContain(before.slice(1, 400));
  });

  test('an archive is refused, and so is a lower step where nothing can be moved aside', async () => {
    insert(store.database, DEMO, rowOf('x', 1, { session_id: 's@archived-2026-01-01T00-00-00-000Z' }));
    await expect(edit('s@archived-2026-01-01T00-00-00-000Z', 'x', [QUERY])).rejects.toMatchObject({
      code: 'unsupported',
    });
    const rows = [1, 2].map((n) => ({ ...rowOf(`c${n}`, n), project_id: 'p' }));
    const sql = `CREATE TABLE sessions (id TEXT PRIMARY KEY); CREATE TABLE projects (id TEXT PRIMARY KEY);
      INSERT INTO sessions VALUES ('s'); INSERT INTO projects VALUES ('p'); ${documentDdl}`;
    const bound = await openRows(sql, 'checkpoints', rows);
    const at = ref('c2', 's');
    const text = setMember((await bound.source.state(at))?.text ?? '', [], 'currentStepIndex', '0');
    await expect(bound.source.plan({ kind: 'edit', ref: at, text })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining("can't be moved aside"),
    });
    await bound.close();
  });
});
