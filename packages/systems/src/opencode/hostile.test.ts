/** Stores that no opencode wrote: nothing hangs, and nothing is hidden. */
import { allCheckpoints, allTasks, collect } from '@checkpoint-inspector/core/testing';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { afterEach, expect, it } from 'vitest';
import { opencodeRules } from './read.ts';
import { OpencodeStore } from './store.ts';
import { layoutOf } from './tables.ts';
import { insert, openFixture, SESSIONS, type TestStore } from './test-store.ts';
import { messagesOf } from './view.ts';

let store: TestStore;
afterEach(() => store.close());

/** An empty database with these sessions. */
function sessions(...rows: readonly { id: string; title?: string; parent?: string; revert?: string }[]): void {
  store = openFixture([]);
  store.database.pragma('foreign_keys = OFF');
  for (const { id, title = id, parent = null, revert = null } of rows) {
    const times = { time_created: 1, time_updated: 1 };
    const fixed = { project_id: 'p', slug: 's', directory: '/d', version: '1' };
    insert(store.database, 'session', { id, title, parent_id: parent, revert, ...fixed, ...times });
  }
}
function message(session: string, id: string, data: unknown, created = 1): void {
  const times = { time_created: created, time_updated: created };
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  insert(store.database, 'message', { id, session_id: session, ...times, data: text });
}
function part(session: string, messageId: string, id: string, data: unknown): void {
  const row = { id, message_id: messageId, session_id: session, time_created: 1, time_updated: 1 };
  insert(store.database, 'part', { ...row, data: JSON.stringify(data) });
}

it('sessions that are each other’s parent, and forks of each other by their titles', async () => {
  sessions(
    { id: 'a', parent: 'b' },
    { id: 'b', parent: 'a' },
    { id: 'c', parent: 'c' },
    { id: 'd', title: 'x (fork #1)' },
    { id: 'e', title: 'x (fork #1)' },
  );
  const call = (session: string) => ({ type: 'tool', tool: 'task', state: { metadata: { sessionId: session } } });
  for (const [own, other] of [
    ['a', 'b'],
    ['b', 'a'],
    ['c', 'c'],
    ['d', 'e'],
    ['e', 'd'],
  ] as const) {
    message(own, `msg_${own}`, { role: 'assistant', time: { created: 1 } });
    part(own, `msg_${own}`, `prt_${own}`, call(other));
  }
  for (const { id } of await allTasks(store.source)) {
    expect(await collect(store.source.lineage(id))).toHaveLength(2);
    expect(await allCheckpoints(store.source, id)).toHaveLength(2);
  }
});

it('control characters, markup and keys of objects as ids, titles and texts', async () => {
  const odd = '\u0000\u001b[31m\u202e<img src=x onerror=alert(1)>';
  sessions({ id: '__proto__', title: odd });
  message('__proto__', odd, { role: odd, time: { created: 1e300 }, error: { name: odd, data: 7 } });
  part('__proto__', odd, 'constructor', { type: 'text', text: odd });
  const [task] = await allTasks(store.source);
  expect(task).toMatchObject({ id: '__proto__', title: odd, checkpointCount: 1 });
  const [meta] = await allCheckpoints(store.source, '__proto__');
  const state = await store.source.state({ task: '__proto__', id: meta?.id ?? '' });
  expect(messagesOf(state?.text ?? '')[0]?.messages[0]?.text).toContain(odd);
});

it('a result of 10 MB is listed by its size, and read when it is asked for', async () => {
  sessions({ id: 'a' });
  const output = 'x'.repeat(10 * 1024 * 1024);
  message('a', 'msg_1', { role: 'assistant', time: { created: 1, completed: 2 } });
  part('a', 'msg_1', 'prt_1', { type: 'tool', tool: 'bash', state: { status: 'completed', input: {}, output } });
  const [answer, call] = await allCheckpoints(store.source, 'a');
  expect(JSON.stringify([answer, call]).length).toBeLessThan(2_000);
  expect(call?.sizeBytes).toBeGreaterThan(10 * 1024 * 1024);
  expect((await store.source.state({ task: 'a', id: 'prt_1' }))?.text).toContain(output);
});

it('a marker that is no marker hides nothing, and one that names nothing neither', async () => {
  sessions({ id: 'a', revert: 'no json' }, { id: 'b', revert: '{"messageID":"msg_gone"}' }, { id: 'c', revert: '[]' });
  for (const id of ['a', 'b', 'c']) message(id, `msg_${id}`, { role: 'user', time: { created: 1 } });
  for (const id of ['a', 'b', 'c']) expect((await store.source.latest(id)).ref?.id).toBe(`msg_${id}`);
});

it('rows of other types than opencode writes are listed with what is wrong', async () => {
  sessions({ id: 'a' });
  message('a', 'msg_1', '{"role":');
  message('a', 'msg_2', '[1,2]');
  message('a', 'msg_3', '{"role":7}');
  message('a', 'msg_4', { role: 'user', time: { created: 5 } });
  part('a', 'msg_4', 'prt_1', 7);
  const metas = await allCheckpoints(store.source, 'a');
  expect(metas.filter(({ problem }) => problem).map(({ id }) => id)).toHaveLength(4);
  expect((await store.source.latest('a')).ref?.id).toBe('msg_4');
  expect((await store.source.state({ task: 'a', id: 'msg_4' }))?.derived).toContain(
    "4 that can't be read are left out",
  );
});

it('an answer of 30,000 calls, and a session of as many prompts', async () => {
  sessions({ id: 'a' }, { id: 'b' });
  const many = 30_000;
  store.database.transaction(() => {
    message('a', 'msg_1', { role: 'assistant', time: { created: 1, completed: 2 } });
    const add = store.database.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
       INSERT INTO part SELECT printf('prt_%06d', i), 'msg_1', 'a', 1, 1, '{"type":"tool","tool":"t","state":{"status":"completed"}}' FROM n`,
    );
    add.run();
    const prompts = store.database.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
       INSERT INTO message SELECT printf('msg_b%06d', i), 'b', i, i, '{"role":"user","time":{"created":1}}' FROM n`,
    );
    prompts.run();
  });
  for (const id of ['a', 'b']) {
    const { items } = await store.source.checkpoints(id, { limit: 5 });
    expect([items.length, items[0]?.seq]).toEqual([5, id === 'a' ? many + 1 : many]);
  }
}, 120_000);

it('a page of sessions reads the logs of its own sessions only, and a list reads no state', async () => {
  store = openFixture();
  const layout = layoutOf(store.database);
  if (!layout) throw new Error('The fixture is of opencode.');
  const asked: string[] = [];
  const database: SqliteDatabase = {
    ...store.database,
    pragma: (text) => store.database.pragma(text),
    prepare: (sql, options) => {
      asked.push(sql);
      return store.database.prepare(sql, options);
    },
  };
  const rules = opencodeRules({ id: store.source.info.id, label: 'test', location: store.path, path: store.path });
  const reading = new OpencodeStore(database, layout);
  await rules.tasks(reading, { limit: 3 });
  expect(asked.filter((sql) => sql.includes('FROM event WHERE aggregate_id = ? AND seq >'))).toHaveLength(3);
  asked.length = 0;
  await rules.checkpoints(reading, SESSIONS['tools'] ?? '', {});
  expect(asked.filter((sql) => /SELECT (?:CAST\(data AS BLOB\) AS )?data FROM/.test(sql))).toEqual([]);
});
