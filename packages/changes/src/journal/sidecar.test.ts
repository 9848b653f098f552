import { MemoryStore, isChangeable } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { withSidecar } from './sidecar.ts';

async function store() {
  const memory = new MemoryStore();
  await memory.save({ task: 't', id: 'a', text: '1' });
  await memory.save({ task: 't', id: 'b', text: '2' });
  await memory.save({ task: 't', id: 'c', text: '3', parent: { task: 't', id: 'b' } });
  await memory.save({ task: 'u', id: 'd', text: '4' });
  return memory;
}

const edge = (task: string, child: string, parentTask: string, parent: string) => ({
  child: { task, id: child },
  parent: { task: parentTask, id: parent },
});

describe('withSidecar', () => {
  it('shows the kept parent in lists and in the tree, and leaves the others', async () => {
    const source = withSidecar(await store(), () => [edge('t', 'b', 't', 'zero')]);
    const { items } = await source.checkpoints('t');
    expect(items.map(({ id, parentId, lineage }) => [id, parentId, lineage])).toEqual([
      ['c', 'b', 'recorded'],
      ['b', 'zero', 'sidecar'],
      ['a', undefined, 'none'],
    ]);
    const rows = [];
    for await (const row of source.lineage('t')) rows.push([row.id, row.parent?.id, row.kind]);
    expect(rows).toEqual([
      ['a', undefined, 'none'],
      ['b', 'zero', 'sidecar'],
      ['c', 'b', 'recorded'],
    ]);
  });

  it('never takes precedence over what the store records, and names a parent of another task', async () => {
    const source = withSidecar(await store(), () => [edge('t', 'c', 't', 'a'), edge('u', 'd', 't', 'a')]);
    expect((await source.checkpoints('t')).items[0]).toMatchObject({ parentId: 'b', lineage: 'recorded' });
    expect((await source.checkpoints('u')).items[0]).toMatchObject({
      parentId: 'a',
      parentTaskId: 't',
      lineage: 'sidecar',
    });
  });

  it('has another version once parents are kept that changed without a write to the store', async () => {
    const edges: ReturnType<typeof edge>[] = [];
    let version: object | undefined = {};
    const source = withSidecar(Object.assign(await store(), { version: () => version }), () => edges);
    expect(source.version?.()).toBe(version);
    edges.push(edge('t', 'b', 't', 'a'));
    const first = source.version?.();
    expect(first).toBeDefined();
    expect(first).not.toBe(version);
    expect(source.version?.()).toBe(first);
    edges.push(edge('u', 'd', 't', 'a'));
    const second = source.version?.();
    expect(second).not.toBe(first);
    version = {};
    expect(source.version?.()).not.toBe(second);
    version = undefined;
    expect(source.version?.()).toBeUndefined();
    expect(withSidecar(await store(), () => edges).version).toBeUndefined();
  });

  it('stays changeable, and shows edges that were added later', async () => {
    const edges = [edge('u', 'x', 't', 'a')];
    const source = withSidecar(await store(), () => edges);
    expect(isChangeable(source)).toBe(true);
    edges.push(edge('u', 'd', 't', 'c'));
    expect((await source.checkpoints('u')).items[0]?.parentId).toBe('c');
  });
});
