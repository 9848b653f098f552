/** What an agent proposed in a process that is gone, decided by command. */
import { join } from 'node:path';
import { openJournal } from '@checkpoint-inspector/changes';
import { createStoreService, defaultRegistry, createInspector, overJournal } from '@checkpoint-inspector/inspector';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import type { StoreId } from '@checkpoint-inspector/core';
import { beforeEach, expect, it } from 'vitest';
import { workplace } from './run.ts';

let place: ReturnType<typeof workplace>;
beforeEach(async () => {
  place = workplace();
  const store = await openSqliteStore({ path: place.path('agent.db') });
  await store.save({ task: 't', id: 'one', text: '{"n":1}' });
  await store.save({ task: 't', id: 'two', text: '{"n":2}', parent: { task: 't', id: 'one' } });
  await store.close();
});

/** As the MCP process does, which then ends. */
async function propose(name = 'Agent X'): Promise<string> {
  const journal = openJournal({ folder: place.state });
  const stores = createStoreService({ registry: defaultRegistry() });
  const inspector = createInspector(overJournal(journal, { stores, readOnly: false }));
  await stores.open(place.path('agent.db'), 'agent-db');
  const request = { kind: 'restore', ref: { task: 't', id: 'one' } } as const;
  const by = { name, version: '2' };
  const { id } = await inspector.proposals.propose({
    store: 'agent-db' as StoreId,
    request,
    by,
    reason: 'Stale cache.',
  });
  await inspector.close();
  journal.close();
  return id;
}

async function save(id: string): Promise<void> {
  const store = await openSqliteStore({ path: place.path('agent.db') });
  await store.save({ task: 't', id, text: '{"n":3}', parent: { task: 't', id: 'two' } });
  await store.close();
}

const latest = async () => ((await place.json('list', 't')) as { items: { id: string }[] }).items[0]?.id;

it('is listed, shown and applied, and what became of it is told', async () => {
  const id = await propose();
  expect((await place.run('proposals')).out).toMatch(new RegExp(`${id}.*Agent X.*restore one`));
  expect((await place.run('inbox')).out).toContain(`Proposal of Agent X: restore one in agent-db/t.`);
  const shown = await place.run('proposals', 'show', id.slice(0, 6));
  expect(shown.out).toContain("reason, in the agent's words: Stale cache.");
  expect(shown.out).toContain('latest now: two');
  const planned = await place.json('proposals', 'apply', id, '--dry-run');
  expect(planned).toMatchObject({ request: { kind: 'restore' }, latestBefore: { ref: { id: 'two' } } });
  const unasked = await place.run('proposals', 'apply', id);
  expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('needs your confirmation')]);
  expect(await latest()).toBe('two');

  const receipt = (await place.json('proposals', 'apply', id, '--yes')) as { id: string };
  expect(await latest()).not.toBe('two');
  expect(await place.json('proposals')).toEqual({ items: [], of: 0 });
  expect(await place.json('proposals', '--all')).toMatchObject({
    items: [{ id, outcome: 'applied', receiptId: receipt.id }],
  });
  expect((await place.run('proposals', 'apply', id, '--yes')).err).toContain('was applied already');
  expect(await place.run('undo', receipt.id, '--yes')).toMatchObject({ code: 0 });
  expect(await latest()).toBe('two');
});

it('is dismissed after a question, once', async () => {
  const id = await propose();
  expect((await place.run('proposals', 'dismiss', id)).err).toContain('needs your confirmation');
  expect(await place.run('proposals', 'dismiss', id, '--yes')).toMatchObject({ code: 0, out: `dismissed: ${id}\n` });
  expect((await place.run('proposals', 'dismiss', id, '--yes')).code).toBe(2);
  expect((await place.run('inbox')).out).toContain('Nothing is waiting for a person.');
  expect(await latest()).toBe('two');
});

it('is not applied where its task has moved on', async () => {
  const id = await propose();
  await save('three');
  expect((await place.run('proposals', 'show', id)).out).toContain('can\'t be applied: The latest checkpoint of "t"');
  expect((await place.run('proposals', 'apply', id, '--yes')).code).toBe(10);
  expect(await latest()).toBe('three');
});

it('of a store that is elsewhere names the command that opens it', async () => {
  const id = await propose();
  const other = place.langgraph();
  expect((await place.run('proposals', '-s', other)).out).toContain('No proposal is waiting for you.');
  const done = await place.run('proposals', 'apply', id, '--yes', '-s', other);
  expect(done.code).toBe(3);
  expect(done.err).toContain(`checkpoint-inspector proposals apply ${id} -s ${join(place.folder, 'agent.db')}`);
  const named = await place.run('proposals', 'apply', id, '--yes', '-s', place.path('agent.db'));
  expect(named).toMatchObject({ code: 0, err: '' });
});

it('that does not exist is told so, and looking leaves nothing behind', async () => {
  expect(await place.run('proposals', 'show', 'nothing')).toMatchObject({ code: 4 });
  expect((await place.run('proposals')).out).toContain('No proposal is waiting for you.');
  expect(place.hasState()).toBe(false);
});
