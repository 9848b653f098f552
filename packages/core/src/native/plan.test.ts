import { describe, expect, it } from 'vitest';
import type { Plan } from '../change/index.ts';
import { MemoryStore } from '../memory.ts';

async function full(limit: number, ids: readonly string[]): Promise<MemoryStore> {
  const store = new MemoryStore({ maxPerTask: limit });
  for (const id of ids) await store.save({ task: 't', id, text: `"${id}"` });
  return store;
}

const codes = ({ view }: Plan) => view.warnings.map(({ code }) => code);

describe('rules of our own stores', () => {
  it('names what a restore into a full task evicts, and why', async () => {
    const store = await full(3, ['a', 'b', 'c']);
    const plan = await store.plan({ kind: 'restore', ref: { task: 't', id: 'b' } });
    expect(plan.view.evicts.items).toMatchObject([
      { ref: { id: 'a' }, when: 'now', reason: 'oldest; the task keeps 3' },
    ]);
    expect(codes(plan)).toEqual(['evicts', 'agent_active']);
    expect(plan.view.bytesFreed).toBe(3);
  });

  it('says that only the copy stays when the oldest itself is restored', async () => {
    const store = await full(3, ['a', 'b', 'c']);
    const plan = await store.plan({ kind: 'restore', ref: { task: 't', id: 'a' } });
    expect(plan.view.evicts.items[0]?.reason).toContain('its state is kept in "a-restored-1"');
    expect(codes(plan)).toEqual(['evicts', 'source_evicted', 'agent_active']);
  });

  it('warns of an agent that saved within the last minute, and not of one that ended', async () => {
    const store = new MemoryStore();
    const save = (id: string, createdAt: string) => store.save({ task: 't', id, text: '1', createdAt });
    await save('a', new Date().toISOString());
    expect(codes(await store.plan({ kind: 'restore', ref: { task: 't', id: 'a' } }))).toEqual(['agent_active']);
    await save('b', new Date(Date.now() - 61_000).toISOString());
    expect(codes(await store.plan({ kind: 'restore', ref: { task: 't', id: 'a' } }))).toEqual([]);
  });

  it('evicts nothing where there is room, or no limit', async () => {
    for (const store of [await full(3, ['a', 'b']), new MemoryStore()]) {
      await store.save({ task: 't', id: 'a', text: '1' });
      const plan = await store.plan({ kind: 'restore', ref: { task: 't', id: 'a' } });
      expect([plan.view.evicts.count, codes(plan)]).toEqual([0, ['agent_active']]);
    }
  });

  it('copies into a new task without touching the old one, and refuses one that is there', async () => {
    const store = await full(2, ['a', 'b']);
    const plan = await store.plan({ kind: 'restore', ref: { task: 't', id: 'a' }, targetTask: 'new' });
    expect(plan.view).toMatchObject({ targetTask: 'new', evicts: { count: 0 } });
    expect(plan.view.preconditions[0]).toEqual({ kind: 'head', task: 'new' });
    await store.save({ task: 'new', id: 'x', text: '1' });
    await expect(store.plan({ kind: 'restore', ref: { task: 't', id: 'a' }, targetTask: 'new' })).rejects.toMatchObject(
      {
        code: 'invalid_input',
      },
    );
  });

  it('refuses a copy without an id or into a task without a name', async () => {
    const store = await full(9, ['a']);
    for (const more of [{ id: '' }, { targetTask: '' }]) {
      const plan = store.plan({ kind: 'fork', ref: { task: 't', id: 'a' }, ...more });
      await expect(plan).rejects.toMatchObject({ code: 'invalid_input', data: { ...more } });
    }
  });

  it('takes the id that a fork asks for, and refuses one that is taken', async () => {
    const store = await full(9, ['a', 'b']);
    const plan = await store.plan({ kind: 'fork', ref: { task: 't', id: 'a' }, id: 'mine' });
    expect(plan.view.latestAfter).toEqual({ task: 't', id: 'mine' });
    await expect(store.plan({ kind: 'fork', ref: { task: 't', id: 'a' }, id: 'b' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('warns of children that lose their parent, one or several, and of a task left empty', async () => {
    const store = new MemoryStore();
    const parent = { task: 't', id: 'a' };
    await store.save({ task: 't', id: 'a', text: '1' });
    await store.save({ task: 't', id: 'b', text: '1', parent });
    const one = await store.plan({ kind: 'delete', refs: [parent] });
    expect(one.view.warnings).toEqual([
      { code: 'parent_missing', message: 'The recorded parent of 1 checkpoint will be missing.' },
    ]);
    await store.save({ task: 't', id: 'c', text: '1', parent });
    const two = await store.plan({ kind: 'delete', refs: [parent, parent] });
    expect(two.view.warnings[0]?.message).toBe('The recorded parent of 2 checkpoints will be missing.');
    expect(two.view.removes.count).toBe(1);
    const all = await store.plan({ kind: 'delete', refs: ['a', 'b', 'c'].map((id) => ({ task: 't', id })) });
    expect(codes(all)).toEqual(['task_emptied']);
    expect(all.view.latestAfter).toBeUndefined();
  });

  it('says what the task resumes from when the latest is deleted', async () => {
    const store = await full(9, ['a', 'b']);
    const plan = await store.plan({ kind: 'delete', refs: [{ task: 't', id: 'b' }] });
    expect(plan.view.warnings).toEqual([
      { code: 'latest_deleted', message: 'This deletes the latest checkpoint. The task will resume from "a".' },
    ]);
  });

  it('looks for children and for what resumes among what stays, in the same task and namespace alone', async () => {
    const store = await full(9, ['a', 'b', 'c', 'd']);
    const parent = { task: 't', id: 'b' };
    await store.save({ task: 't', id: 'sub', namespace: 'n', text: '1', parent: { ...parent, namespace: 'n' } });
    await store.save({ task: 'u', id: 'other', text: '1', parent });
    const refs = ['d', 'b', 'c'].map((id) => ({ task: 't', id }));
    const { view } = await store.plan({ kind: 'delete', refs });
    expect(view.warnings.map(({ code }) => code)).toEqual(['latest_deleted']);
    expect(view.latestAfter).toEqual({ task: 't', id: 'a' });
  });

  it('takes NaN in an edit, except where a framework that reads only JSON saved the checkpoint', async () => {
    const store = await full(9, ['a']);
    await store.save({ task: 't', id: 'framed', text: '{}', beside: '{}' });
    const edit = (id: string) => store.plan({ kind: 'edit', ref: { task: 't', id }, text: '{"score": NaN}' });
    expect((await edit('a')).view.writes.count).toBe(1);
    await expect(edit('framed')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('NaN, which LangGraph cannot read'),
    });
  });

  it('refuses what it cannot plan', async () => {
    const store = await full(9, ['a']);
    await store.save({ task: 'u', id: 'x', text: '1' });
    const refusal = (request: Parameters<MemoryStore['plan']>[0]) => expect(store.plan(request)).rejects;
    await refusal({ kind: 'delete', refs: [] }).toMatchObject({ code: 'invalid_input' });
    await refusal({
      kind: 'delete',
      refs: [
        { task: 't', id: 'a' },
        { task: 'u', id: 'x' },
      ],
    }).toMatchObject({ code: 'invalid_input' });
    await refusal({ kind: 'restore', ref: { task: 't', id: 'none' } }).toMatchObject({ code: 'not_found' });
  });
});
