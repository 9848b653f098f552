import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openJournal, placeOf } from '@checkpoint-inspector/changes';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStoreService } from '@checkpoint-inspector/inspector';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';
import { status, testApp, wire } from '../testing/app.ts';

/** A store whose own labels and those of the journal meet. */
async function labelledStore() {
  const { annotations } = await annotated();
  const memory = await seededStore();
  const { checkpoints } = memory;
  memory.checkpoints = async (task, query) => {
    const page = await checkpoints.call(memory, task, query);
    return { ...page, items: page.items.map((meta) => ({ ...meta, labels: ['by its system'] })) };
  };
  const stores = createStoreService({ registry: { open: async () => [] }, annotations: () => annotations });
  stores.add(memory);
  return testApp({ annotations, stores });
}

async function annotated(readOnly = false) {
  const folder = await mkdtemp(join(tmpdir(), 'annotations-'));
  const journal = openJournal({ folder });
  onTestFinished(async () => {
    journal.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { annotations } = journal;
  return { ...(await testApp({ annotations, status: { ...status, readOnly } })), annotations };
}

const CP = '/api/stores/memory/checkpoints/cp-2';
const put = (value?: unknown): RequestInit => ({
  method: 'PUT',
  ...(value === undefined ? {} : { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }),
});

describe('a label that was given', () => {
  it('ends that answers of its store are sent again: it is kept beside the store, which is not written', async () => {
    const { annotations } = await annotated();
    const version = {};
    const stores = createStoreService({ registry: { open: async () => [] }, annotations: () => annotations });
    const memory = Object.assign(await seededStore(), { version: () => version });
    stores.add(memory);
    const source = stores.source(memory.info.id);
    expect(source.version?.()).toBe(version);
    annotations.addLabel(placeOf(memory), { task: 'run-1', id: 'cp-2' }, 'good');
    expect(source.version?.()).toBeUndefined();
  });

  it('is in every listing and with the checkpoint itself, behind those of its system, and once', async () => {
    const { ask } = await labelledStore();
    for (const label of ['good', 'by its system'])
      await ask(`${CP}/labels/${encodeURIComponent(label)}?task=run-1`, put());
    const labels = ['by its system', 'good'];
    expect(await (await ask(CP)).json()).toMatchObject({ labels });
    expect(await wire(ask('/api/stores/memory/checkpoints?id=cp-2'))).toMatchObject({
      items: [{ id: 'cp-2', labels }],
    });
    const { items } = await wire(ask('/api/stores/memory/tasks/run-1/checkpoints'));
    expect(items.map(({ id, labels: given }) => [id, given])).toEqual([
      ['cp-3', ['by its system']],
      ['cp-2', labels],
      ['cp-1', ['by its system']],
    ]);
    await ask(`${CP}/labels/good?task=run-1`, { method: 'DELETE' });
    expect(await (await ask(CP)).json()).toMatchObject({ labels: ['by its system'] });
  });
});

describe('labels and notes', () => {
  it('are written, listed with their task and taken away, and the store is told', async () => {
    const { ask, stores } = await annotated();
    const told: unknown[] = [];
    stores.onEvent((event) => told.push(event));
    expect(await (await ask(`${CP}/labels/bookmark`, put())).json()).toEqual({
      ref: { task: 'run-1', id: 'cp-2' },
      labels: ['bookmark'],
    });
    await ask(`${CP}/labels/${encodeURIComponent('a/b ü')}?task=run-1&ns=`, put());
    expect(await (await ask(`${CP}/note`, put({ note: 'the last good one' }))).json()).toMatchObject({
      labels: ['a/b ü', 'bookmark'],
      note: 'the last good one',
    });
    expect(told).toContainEqual({ kind: 'change', store: 'memory', task: 'run-1' });
    const list = await (await ask('/api/stores/memory/annotations?task=run-1')).json();
    expect(list).toMatchObject({ items: [{ ref: { task: 'run-1', id: 'cp-2' }, note: 'the last good one' }] });
    await ask(`${CP}/labels/bookmark`, { method: 'DELETE' });
    await ask(`${CP}/note`, put({ note: '' }));
    expect(await (await ask(`${CP}/annotations`)).json()).toEqual({
      ref: { task: 'run-1', id: 'cp-2' },
      labels: ['a/b ü'],
    });
    expect(await (await ask('/api/stores/memory/annotations?task=run-2')).json()).toEqual({ items: [] });
  });

  it('can be read, and not written, where changes are refused', async () => {
    const { ask, annotations } = await annotated(true);
    annotations.addLabel('store:memory', { task: 'run-1', id: 'cp-2' }, 'bookmark');
    expect(await (await ask(`${CP}/annotations`)).json()).toMatchObject({ labels: ['bookmark'] });
    for (const answer of [
      await ask(`${CP}/labels/x`, put()),
      await ask(`${CP}/labels/bookmark`, { method: 'DELETE' }),
      await ask(`${CP}/note`, put({ note: 'x' })),
    ])
      expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'read_only' } }]);
  });

  it('name what is missing, an id in several tasks, and a label that is none', async () => {
    const { ask, annotations, store } = await annotated();
    expect((await ask('/api/stores/memory/checkpoints/gone/labels/x?task=run-1&ns=', put())).status).toBe(404);
    expect((await ask('/api/stores/memory/checkpoints/cp-1/labels/x', put())).status).toBe(409);
    expect((await ask(`${CP}/labels/${'x'.repeat(61)}`, put())).status).toBe(400);
    expect(annotations.ofPlace('store:memory')).toEqual([]);
    await ask(`${CP}/labels/kept`, put());
    await store.remove({ task: 'run-1', id: 'cp-2' });
    const answer = await ask(`${CP}/labels/kept?task=run-1&ns=`, { method: 'DELETE' });
    expect(await answer.json()).toEqual({ ref: { task: 'run-1', id: 'cp-2' }, labels: [] });
  });
});

describe('errors, inbox and usage', () => {
  it('answer over HTTP with their coverage', async () => {
    const { ask, store } = await annotated();
    await store.save({ task: 'run-1', id: 'cp-4', text: '{}', status: 'failed', description: 'boom 4', costUsd: 0.5 });
    const covered = { coverage: { n: 5, of: 5, unreadable: 0, complete: true }, failures: [] };
    expect(await (await ask('/api/errors')).json()).toMatchObject({
      items: [{ pattern: 'boom <n>', count: 1, current: 1, example: { message: 'boom 4' } }],
      ...covered,
    });
    expect(await (await ask('/api/inbox')).json()).toEqual({ items: [], ...covered });
    expect(await (await ask('/api/usage?store=memory&task=run-1')).json()).toMatchObject({
      items: [{ task: 'run-1', checkpoints: 4, costUsd: { value: '0.5', said: 1 } }],
      total: { checkpoints: 4 },
    });
    expect((await ask('/api/errors?store=other')).status).toBe(404);
  });
});
