/** The engine of PostgreSQL on the rows of our own store, whose states are nodes. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { addNative, ENGINES, postgresJob } from '@checkpoint-inspector/io';
import {
  describeExecutor,
  describeWithPostgres,
  postgresForTests,
  type ExecutorPlace,
  type TestPostgres,
} from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore, type PostgresStore } from './store.ts';

/**
 * In a process of its own: a crash leaves what is committed at that very moment, while the engine waits in the middle.
 * As a replica, so that no trigger counts what was counted.
 */
const COPY = `import pg from 'pg';
  const [url, from, to] = process.argv.slice(1);
  const client = new pg.Client(url);
  await client.connect();
  await client.query('SET session_replication_role = replica');
  for (const table of ['nodes', 'texts', 'checkpoints', 'writes', 'tasks'])
    await client.query('INSERT INTO ' + to + '.' + table + ' OVERRIDING SYSTEM VALUE SELECT * FROM ' + from + '.' + table);
  await client.end();`;
/** The driver belongs to another package. */
const DRIVER = dirname(createRequire(import.meta.url).resolve('@checkpoint-inspector/io/testing'));

describeWithPostgres('our own store in PostgreSQL', () => {
  let db: TestPostgres;
  let made = 0;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  const ref = (id: string) => ({ task: 't', id });
  /** Places are compared with each other. */
  const at = (id: string) => ({ ...ref(id), createdAt: '2026-01-01T00:00:00.000Z' });
  const open = async () => {
    const schema = `engine_${++made}`;
    return { schema, store: await openPostgresStore({ url: db.url, schema }) };
  };

  async function make(): Promise<ExecutorPlace> {
    const { schema, store } = await open();
    const [a] = [
      await store.save({ ...at('a'), value: { n: 1, text: 'of a '.repeat(200) }, description: 'first' }),
      await store.save({ ...at('b'), text: '{ "spaced": 1.0 }' }),
      await store.save({ ...at('c'), value: { n: 3, text: 'of c '.repeat(200) } }),
    ];
    await store.saveWrites(ref('c'), [{ run: 'r', index: 0, channel: 'x', text: '1' }]);
    const rows = await db.run<{ seq: string }>(`SELECT seq FROM ${schema}.checkpoints ORDER BY seq DESC LIMIT 1`);
    return placeIn({ schema, store, spare: await open(), revision: a?.revision ?? '', newest: Number(rows[0]?.seq) });
  }

  interface Made {
    readonly schema: string;
    readonly store: PostgresStore;
    /** For what a crash leaves. */
    readonly spare: { readonly schema: string; readonly store: PostgresStore };
    readonly revision: string;
    readonly newest: number;
  }

  function placeIn({ schema, store, spare, revision, newest }: Made): ExecutorPlace {
    const place = store.info.identity ?? '';
    const job = (seq: number) =>
      addNative(postgresJob(place, ['t']), {
        unchanged: [{ ref: ref('a'), revision }],
        copy: {
          from: ref('a'),
          to: ref('d'),
          set: { seq: null, text: '{"edited":  true}', size_bytes: 17 },
          newest: seq,
        },
        moves: [{ ref: ref('b'), parent: ref('a') }],
        clears: [{ ref: ref('c'), count: 1 }],
        removes: [ref('c')],
      });
    return {
      place,
      job: job(newest),
      stale: job(newest - 1),
      content: async () => {
        const lines = await db.run<{
          line: string;
          id: string;
        }>(`SELECT id, concat_ws(' ', seq, id, state_hash, size_bytes,
            parent_id, description, (SELECT count(*) FROM ${schema}.writes AS w WHERE w.id = c.id)) AS line
          FROM ${schema}.checkpoints AS c ORDER BY seq`);
        const texts = await Promise.all(lines.map(async ({ id }) => (await store.state(ref(id)))?.text));
        const counts = await db.run(`SELECT * FROM ${schema}.tasks`);
        // A copy gets a place of its own, and another one once it was undone and done again.
        const shown = lines.map(({ line, id }, index) => [id === 'd' ? line.replace(/^\d+/, '') : line, texts[index]]);
        return JSON.stringify([shown, counts]);
      },
      disturb: async () => void (await db.run(`UPDATE ${schema}.checkpoints SET description = 'other' WHERE id = 'd'`)),
      crash: () => {
        execFileSync(process.execPath, ['--input-type=module', '-e', COPY, db.url, schema, spare.schema], {
          cwd: DRIVER,
        });
        return placeIn({ ...spare, spare, revision, newest });
      },
      close: () => store.close(),
    };
  }

  describeExecutor(ENGINES.get('postgres'), { make });
});
