/** What the stores that are open say of saves by others. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointStore } from '@checkpoint-inspector/core';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { openPostgresStore } from '@checkpoint-inspector/stores/postgres';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { defaultRegistry } from './registry.ts';
import { createStoreService } from './service.ts';
import type { StoresEvent } from './types.ts';

const SAVES = 20;

/** Two agents save to the store that is open here; the last event comes after all of it can be listed. */
async function seesEverySave(location: string, agents: readonly CheckpointStore[]): Promise<StoresEvent[]> {
  await agents[0]?.save({ task: 'first', id: 'c', value: 0 });
  const stores = createStoreService({ registry: defaultRegistry() });
  onTestFinished(() => stores.closeAll());
  const { id: store } = (await stores.open(location))[0] ?? { id: '' };
  const events: StoresEvent[] = [];
  let listed: (number | undefined)[] = [];
  let asked = 0;
  const list = async (): Promise<void> => {
    const nth = ++asked;
    const { items } = await stores.tasks();
    // An earlier answer may come later.
    if (nth === asked)
      listed = ['t0', 't1', 'both'].map((task) => items.find(({ id }) => id === task)?.checkpointCount);
  };
  stores.onEvent((event) => {
    events.push(event);
    if (event.kind === 'change' && event.store === store) void list();
  });
  const saves = agents.map(async (agent, nth) => {
    for (let n = 0; n < SAVES; n++) {
      await agent.save({ task: `t${nth}`, id: `c${n}`, value: n });
      await agent.save({ task: 'both', id: `c${nth}-${n}`, value: n });
    }
  });
  await Promise.all(saves);
  await expect.poll(() => listed, { timeout: 20_000 }).toEqual([SAVES, SAVES, 2 * SAVES]);
  return events;
}

it('a SQLite file: every save is listed after an event', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'live-'));
  const path = join(folder, 'a.db');
  const agents = [await openSqliteStore({ path }), await openSqliteStore({ path })];
  onTestFinished(async () => {
    for (const agent of agents) await agent.close();
    rmSync(folder, { recursive: true });
  });
  await seesEverySave(path, agents);
});

describeWithPostgres('a schema in PostgreSQL', () => {
  it('every save is listed after an event, which names its task', async () => {
    const db = await postgresForTests();
    const place = { url: db.url, schema: 'live' };
    const agents = [await openPostgresStore(place), await openPostgresStore(place)];
    onTestFinished(async () => {
      for (const agent of agents) await agent.close();
      await db.close();
    });
    const url = new URL(db.url);
    url.searchParams.set('schema', 'live');
    const events = await seesEverySave(url.href, agents);
    const tasks = new Set(events.flatMap((event) => (event.kind === 'change' ? [event.task] : [])));
    for (const task of ['t0', 't1', 'both']) expect(tasks).toContain(task);
  });
});
