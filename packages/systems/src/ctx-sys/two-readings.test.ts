import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Original } from './testing/original.ts';
import { DEMO, insert, openFixture, planState, rowOf, toolState, type TestStore } from './test-store.ts';

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

/** Id of a row of the fixture. */
function idAt(rowid: number): string {
  return store.database.prepare<{ id: string }>(`SELECT id FROM ${DEMO} WHERE rowid = ?`).get(rowid)?.id ?? '';
}
const restore = async (task: string, id: string) => store.source.plan({ kind: 'restore', ref: { task, id } });
const ok = (step: string) => `${step} again`;

test('every session of the fixture: the latest and the list agree with the original', async () => {
  const { items } = await store.source.tasks();
  expect(items).toHaveLength(6);
  for (const task of items) {
    expect(task.latestId).toBe(original.loadLatest(task.id)?.id);
    const first = original.list(task.id)[0];
    expect(task.latestNote?.includes(`lists ${first} first`) ?? false).toBe(first !== task.latestId);
  }
});

describe('executor sessions', () => {
  test.each([
    ['etl-nightly, before its failure', 'etl-nightly', 12, ['s3', 's4', 's5']],
    ['etl-nightly, the failure itself', 'etl-nightly', 13, ['s3', 's4', 's5']],
    ['shadow, the old run', 'shadow', 34, ['s3', 's4', 's5', 's6']],
    ['shadow, the shadowed save', 'shadow', 40, ['s4', 's5', 's6']],
    ['long, its oldest', 'long', 23, ['s7', 's8', 's9', 's10', 's11', 's12', 's13', 's14']],
    ['release, one of two in the same millisecond', 'release', 9, []],
  ])('%s: a resumed run continues from the restored state to the end', async (_, session, rowid, steps) => {
    const id = idAt(rowid);
    await store.apply(await restore(session, id));
    expect(original.loadLatest(session)?.id).toBe(id);
    const { ran, saved, isDone } = original.resume(session, ok);
    expect([ran, isDone]).toEqual([steps, true]);
    expect(original.loadLatest(session)?.id).toBe(saved.at(-1));
    expect((await store.source.latest(session)).ref?.id).toBe(saved.at(-1));
    expect(original.pruned.filter((gone) => saved.includes(gone))).toEqual([]);
  });

  test('a run that fails again after the restore resumes from its own failure', async () => {
    await store.apply(await restore('long', idAt(25)));
    const first = original.resume('long', (step) => {
      if (step === 's12') throw new Error('again');
      return ok(step);
    });
    expect([first.ran, first.isDone]).toEqual([['s9', 's10', 's11'], false]);
    expect(original.loadLatest('long')?.id).toBe(first.saved.at(-1));
    expect(original.resume('long', ok)).toMatchObject({ ran: ['s12', 's13', 's14'], isDone: true });
  });

  test('a restore over 12 rows evicts none of them, and names what the next save will', async () => {
    for (let n = 1; n <= 12; n++) insert(store.database, DEMO, rowOf(`many-${n}`, n, { session_id: 'many' }));
    const plan = await restore('many', 'many-11');
    expect(plan.view.evicts.items.map(({ ref, when }) => [ref.id, when])).toEqual([
      ['many-2', 'next-save'],
      ['many-1', 'next-save'],
    ]);
    await store.apply(plan);
    expect(original.list('many')).toHaveLength(11);
    original.resume('many', ok);
    expect(original.pruned.slice(0, 2).sort()).toEqual(['many-1', 'many-2']);
  });

  test('of equal rows at the edge the newest goes, as the plan says', async () => {
    for (let n = 0; n < 11; n++) {
      const step = Math.max(1, n);
      insert(
        store.database,
        DEMO,
        rowOf(`tie-${n}`, step, { session_id: 'tie', created_at: '2026-01-01T00:00:00.000Z' }),
      );
    }
    const plan = await restore('tie', 'tie-9');
    expect(plan.view.evicts.items.map(({ ref }) => ref.id)).toEqual(['tie-1']);
    await store.apply(plan);
    original.save('tie', JSON.parse(planState(10)) as Parameters<Original['save']>[1], 'auto', null);
    expect(original.pruned).toEqual(['tie-1']);
  });
});

describe('sessions of the MCP tool', () => {
  test('the copy is loaded, and later saves go above it', async () => {
    const session = 'mcp-исследование';
    const old = original.loadLatest(session)?.id;
    const plan = await restore(session, idAt(1));
    expect(plan.view).toMatchObject({ writes: { count: 1 }, moves: { count: 0 }, evicts: { count: 0 } });
    await store.apply(plan);
    const loaded = original.loadLatest(session);
    expect([loaded?.id, loaded?.step, loaded?.state.currentStepIndex]).toEqual([plan.view.latestAfter?.id, 5, 5]);
    expect(loaded?.state.context).toMatchObject({ n: 1, found: [] });
    expect(original.list(session)).toContain(old);
    for (let n = 6; n < 20; n++) {
      const id = original.toolSave(session, { n });
      expect([original.loadLatest(session)?.id, original.loadLatest(session)?.step]).toEqual([id, n]);
    }
    expect(original.list(session)).toHaveLength(10);
  });

  test('only the number of the step changes in the text', async () => {
    const text = toolState(2, '{"big": 12345678901234567890, "one": 1.0,  "dup": 1, "dup": 2}');
    insert(store.database, DEMO, rowOf('exact', 2, { session_id: 'exact', state_json: text }));
    const plan = await restore('exact', 'exact');
    expect(plan.view.warnings.map(({ code }) => code)).toEqual(['already_latest']);
    await store.apply(plan);
    const state = await store.source.state({ task: 'exact', id: plan.view.latestAfter?.id ?? '' });
    expect(state?.text).toBe(text.replace('"currentStepIndex":2', '"currentStepIndex":3'));
    expect(state?.revision).toBe(plan.view.proofHash);
  });

  test('a full session names what the next save evicts, the copy counted', async () => {
    for (let n = 0; n < 10; n++) original.toolSave('full', { n });
    const plan = await restore('full', original.list('full').at(-1) ?? '');
    expect(plan.view.evicts.count).toBe(2);
    expect(plan.view.warnings.map(({ code }) => code)).toContain('evicts');
    await store.apply(plan);
    original.toolSave('full', { n: 11 });
    expect(original.pruned.toSorted()).toEqual(plan.view.evicts.items.map(({ ref }) => ref.id).toSorted());
  });
});
