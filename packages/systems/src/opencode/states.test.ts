/** Going over the states of a session: what is read, and that nothing else changes. */
import { allCheckpoints } from '@checkpoint-inspector/core/testing';
import { storeId } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { afterEach, describe, expect, it } from 'vitest';
import { openOpencode, opencodeRules } from './read.ts';
import { OpencodeStore } from './store.ts';
import { layoutOf } from './tables.ts';
import { dropEvents, openFixture, SESSIONS, type TestStore } from './test-store.ts';

const opened: TestStore[] = [];
const open = (...args: Parameters<typeof openFixture>): TestStore => {
  const store = openFixture(...args);
  opened.push(store);
  return store;
};
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** The rows of messages, parts and events that are read for states. */
function statesOf(store: TestStore, only?: readonly string[]) {
  const layout = layoutOf(store.database);
  if (!layout) throw new Error('The fixture is of opencode.');
  const read: string[] = [];
  const counting: SqliteDatabase = {
    ...store.database,
    pragma: (text) => store.database.pragma(text),
    prepare: <Row>(sql: string) => {
      const statement = store.database.prepare<Row>(sql);
      const get: typeof statement.get = (...place) => {
        if (sql.startsWith('SELECT data FROM')) read.push(`${sql} ${JSON.stringify(place)}`);
        return statement.get(...place);
      };
      return { ...statement, get };
    },
  };
  const reading = new OpencodeStore(counting, layout);
  const rules = opencodeRules({ id: store.source.info.id, label: 'test', location: store.path, path: store.path });
  const points = reading
    .sessions()
    .flatMap((session) => (only?.includes(session.id) === false ? [] : [session]))
    .flatMap((session) => reading.history(session).points.map(({ id }) => ({ task: session.id, id })));
  const state = (ref: (typeof points)[number]) => rules.state(reading, ref);
  return { points, state, read };
}

describe('going from state to state', () => {
  const tools = SESSIONS['tools'] ?? '';

  it.each([false, true])('reads each row and event once (rows alone: %s)', async (rowsAlone) => {
    const store = open([tools]);
    if (rowsAlone) dropEvents(store.database);
    const { points, state, read } = statesOf(store);
    expect(points.length).toBeGreaterThan(10);
    const texts = [];
    for (const ref of points) texts.push((await state(ref))?.text);
    for (const ref of points.toReversed()) expect((await state(ref))?.text).toBe(texts.pop());
    expect(read.length).toBeGreaterThan(points.length);
    expect(new Set(read).size).toBe(read.length);
  });

  it('gives the states that a reading of their own gives', async () => {
    const store = open();
    const all = statesOf(store);
    expect(all.points.length).toBeGreaterThan(100);
    for (const ref of all.points) expect(await all.state(ref)).toEqual(await statesOf(store, [ref.task]).state(ref));
  });

  it('reads them again once the database has changed', async () => {
    const store = open([tools]);
    dropEvents(store.database);
    const { ref } = await store.source.latest(tools);
    const before = ref && (await store.source.state(ref))?.text;
    expect(before).toContain('"type":"text"');
    store.database.exec(`UPDATE part SET data = replace(data, '"type":"text"', '"type":"TEXT"')`);
    const after = ref && (await store.source.state(ref))?.text;
    expect(after).toBe(before?.replaceAll('"type":"text"', '"type":"TEXT"'));
  });

  it('a database without a table of events has its states', async () => {
    const { database, path } = open([tools]);
    database.exec('DROP TABLE event');
    const source = openOpencode({ id: storeId('old'), label: 'old', location: path, path });
    const refs = (await allCheckpoints(source, tools)).map(({ id }) => ({ task: tools, id }));
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of refs) {
      expect((await source.state(ref))?.text).toContain(`{"id":"${tools}"`);
      expect(await source.raw?.(ref)).toBeDefined();
    }
    await source.close?.();
  });
});
