import { refKey } from '@checkpoint-inspector/core';
import { collect, refOf } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { afterEach, expect, test } from 'vitest';
import { langgraphSystem } from '../index.ts';
import { openPostgresStore, openSources, POSTGRES_DDL, type PostgresStore } from './test-store.ts';

const SHALLOW_DDL = `
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', type TEXT,
  checkpoint JSONB NOT NULL, metadata JSONB NOT NULL DEFAULT '{}', PRIMARY KEY (thread_id, checkpoint_ns));
CREATE TABLE checkpoint_blobs (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', channel TEXT NOT NULL,
  type TEXT NOT NULL, blob BYTEA, PRIMARY KEY (thread_id, checkpoint_ns, channel));
CREATE TABLE checkpoint_writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, blob BYTEA NOT NULL,
  task_path TEXT NOT NULL DEFAULT '', PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));`;

const ID = '1f1e5b11-aad3-6257-8002-61906127c9ad';
const CHECKPOINT = JSON.stringify({
  v: 4,
  id: ID,
  ts: '2026-11-21T13:40:24.472663+00:00',
  channel_values: { title: 'short', 'branch:to:ask': null },
  channel_versions: { title: '1.0', log: '2.0', gone: '2.0', 'branch:to:ask': '3.0' },
  versions_seen: { __input__: {}, first: { 'branch:to:first': '1.0' } },
});
const METADATA = '{"source":"loop","step":2,"parents":{}}';
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

let store: PostgresStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

/** One checkpoint whose channel `log` has this blob; it waits for an answer. */
const full = (type: string, blob: Uint8Array | null) =>
  openPostgresStore(async ({ run }) => {
    await run(POSTGRES_DDL);
    await run("INSERT INTO checkpoints VALUES ('t', '', $1, NULL, NULL, $2::jsonb, $3::jsonb)", [
      ID,
      CHECKPOINT,
      METADATA,
    ]);
    await run("INSERT INTO checkpoint_blobs VALUES ('t', '', 'log', '2.0', $1, $2)", [type, blob]);
    await run("INSERT INTO checkpoint_blobs VALUES ('t', '', 'log', '1.0', 'json', $1)", [json(['older'])]);
    await run("INSERT INTO checkpoint_blobs VALUES ('t', '', 'gone', '2.0', 'empty', NULL)");
  });

describeWithPostgres('LangGraph in PostgreSQL', () => {
  test('the shallow variant: one checkpoint per thread, whose id is in it, and blobs without versions', async () => {
    store = await openPostgresStore(async ({ run }) => {
      await run(SHALLOW_DDL);
      await run("INSERT INTO checkpoints VALUES ('t', '', NULL, $1::jsonb, $2::jsonb)", [CHECKPOINT, METADATA]);
      await run("INSERT INTO checkpoint_blobs VALUES ('t', '', 'log', 'json', $1)", [json(['a', 1.5])]);
      await run("INSERT INTO checkpoint_writes VALUES ('t', '', $1, 'x', -3, '__interrupt__', 'json', $2)", [
        ID,
        json([{ value: 'Sure?', id: 'q1' }]),
      ]);
    });
    const { source } = store;
    const [task] = (await source.tasks()).items;
    expect(task).toMatchObject({ id: 't', checkpointCount: 1, latestId: ID, status: 'interrupted', unreadable: 0 });
    const [meta] = (await source.checkpoints('t')).items;
    expect(meta).toMatchObject({
      id: ID,
      stepIndex: 2,
      lineage: 'none',
      isLatest: true,
      description: 'first; next: ask',
    });
    expect(await collect(source.lineage('t'))).toHaveLength(1);
    const { text } = (await source.state({ task: 't', id: ID })) ?? {};
    expect(text).toBe('{"title":"short","branch:to:ask":null,"log":["a",1.5]}');
    expect((await source.beside?.({ task: 't', id: ID }))?.requests).toEqual([
      { id: 'q1', text: 'Sure?', from: 'ask' },
    ]);
    expect(source.info.retention).toContain('only the newest');
  });

  test('values in the row and in blobs are joined by version, and numbers keep their digits', async () => {
    store = await full('json', Buffer.from('[1.0,18446744073709551615,1e5]'));
    const state = await store.source.state({ task: 't', id: ID });
    expect(state?.text).toBe('{"title":"short","branch:to:ask":null,"log":[1.0,18446744073709551615,1e5]}');
    expect(state?.derived).toContain('checkpoint_blobs');
  });

  test.each([
    ['pickle', Buffer.from('x'), 'unsupported_version', 1],
    ['msgpack+aes', Buffer.from('x'), 'unsupported_version', 1],
    ['json', Buffer.from([0xff]), 'unreadable', 0],
    ['json', null, 'unreadable', 0],
    ['msgpack', Buffer.from([0x92, 1]), 'unreadable', 0],
  ])('a channel that is not read is named: %s', async (type, blob, code, unreadable) => {
    store = await full(type, blob);
    const ref = { task: 't', id: ID };
    const error = { code, message: expect.stringContaining('"log"') };
    await expect(store.source.state(ref)).rejects.toMatchObject(error);
    // Lists do not look into blobs, only at their types.
    const [task] = (await store.source.tasks()).items;
    const [meta] = (await store.source.checkpoints('t')).items;
    expect([task?.unreadable, meta?.problem === undefined ? 0 : 1]).toEqual([unreadable, unreadable]);
    expect(Buffer.from((await store.source.raw?.(ref)) ?? []).toString()).toContain('"channel_versions"');
  });

  test('each schema with the tables is a store; an address may name one; others are told by what is missing', async () => {
    const database = await postgresForTests();
    try {
      const { detect } = langgraphSystem;
      const target = { kind: 'address', url: database.url } as const;
      expect(await detect(target)).toBeUndefined();
      await database.run(
        'CREATE TABLE checkpoints (id int); CREATE TABLE checkpoint_blobs (id int); CREATE TABLE checkpoint_writes (id int)',
      );
      expect(await detect(target)).toBeUndefined();
      for (const schema of ['Team "A"', 'b']) {
        const name = `"${schema.replaceAll('"', '""')}"`;
        await database.run(`CREATE SCHEMA ${name}; SET search_path = ${name}; ${POSTGRES_DDL} RESET search_path`);
      }
      expect((await detect(target))?.because).toContain('in the schemas "Team "A"", "b"');
      const sources = await openSources(database.url);
      expect(sources.map(({ info }) => info.label)).toEqual(['test Team "A"', 'test b']);
      expect(new Set(sources.map(({ info }) => info.identity)).size).toBe(2);
      const [named, ...others] = await openSources(`${database.url}?schema=b`);
      expect([named?.info.label, others]).toEqual(['test', []]);
      const { password } = new URL(database.url);
      const shown = JSON.stringify([...sources, named].map((source) => source?.info));
      if (password !== '') expect(shown).not.toContain(password);
      await expect(openSources(`${database.url}?schema=none`)).rejects.toMatchObject({ code: 'no_store' });
      for (const source of [...sources, named]) await source?.close?.();
    } finally {
      await database.close();
    }
  });

  test('a tree of more rows than are read at once has every fork', async () => {
    const idAt = (n: number): string => `1f1e5b11-${String(n).padStart(4, '0')}-6257-8002-61906127c9ad`;
    store = await openPostgresStore(async ({ run }) => {
      await run(POSTGRES_DDL);
      const ids = `SELECT n, '1f1e5b11-' || lpad(n::text, 4, '0') || '-6257-8002-61906127c9ad' AS id,
        '1f1e5b11-' || lpad((CASE n WHEN 4400 THEN 7 ELSE n - 1 END)::text, 4, '0') || '-6257-8002-61906127c9ad' AS parent
        FROM generate_series(0, 4500) AS n`;
      await run(
        `INSERT INTO checkpoints SELECT 't', '', id, CASE WHEN n > 0 THEN parent END, NULL, $1::jsonb, $2::jsonb FROM (${ids}) AS k`,
        [CHECKPOINT, METADATA],
      );
    });
    const rows = await collect(store.source.lineage('t'));
    expect(rows).toHaveLength(4_501);
    expect(rows[4_400]?.parent?.id).toBe(idAt(7));
  });

  test('a thread of which only writes are left is listed; no text holds a NUL', async () => {
    store = await openPostgresStore(async ({ run }) => {
      await run(POSTGRES_DDL);
      await run("INSERT INTO checkpoint_writes VALUES ('alone', '', $1, 'x', 0, 'log', 'json', $2)", [ID, json(1)]);
    });
    const [task] = (await store.source.tasks()).items;
    expect(task).toMatchObject({
      id: 'alone',
      checkpointCount: 0,
      latestNote: expect.stringContaining('only 1 write'),
    });
    expect((await store.source.checkpoints('al\u0000one')).items).toEqual([]);
    expect(await store.source.find('\u0000')).toEqual([]);
  });

  test('what an agent saves while it is looked at is seen, and nothing is locked', async () => {
    store = await full('json', json(['a']));
    const { source, database } = store;
    const told = new Promise<void>((resolve) => {
      const stop = source.watch?.(() => {
        stop?.();
        resolve();
      });
    });
    expect((await source.tasks()).items[0]?.checkpointCount).toBe(1);
    const newer = ID.replace('1f1e5b11', '1f1e5b12');
    const adding =
      "INSERT INTO checkpoints SELECT thread_id, '', $1, checkpoint_id, NULL, checkpoint, metadata FROM checkpoints";
    await Promise.all([database.run(adding, [newer]), source.tasks(), source.state({ task: 't', id: ID })]);
    expect((await source.tasks()).items[0]).toMatchObject({ checkpointCount: 2, latestId: newer });
    const items = (await source.checkpoints('t')).items;
    expect(items.map((item) => refKey(refOf(item)))).toHaveLength(2);
    await told;
  });
});
