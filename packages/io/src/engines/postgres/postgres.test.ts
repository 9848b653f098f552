import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres, type PostgresDatabase } from '../../postgres/open.ts';
import { postgresAddress } from '../../postgres/address.ts';
import { keepPlace } from '../../postgres/places.ts';
import { describeExecutor, type ExecutorPlace } from '../../testing/describe-executor.ts';
import { describeWithPostgres } from '../../testing/describe-postgres.ts';
import { postgresForTests, type TestPostgres } from '../../testing/postgres.ts';
import type { ApplyHooks, Image } from '../executor.ts';
import { postgresJob } from '../rows/job.ts';
import type { RowCheck, RowStep } from '../rows/job.ts';
import { postgresEngine } from './index.ts';

let db: TestPostgres;
let made = 0;
const newSchema = (): string => `place_${++made}`;

/** In a process of its own: a crash leaves what is committed at that very moment, while the engine waits in the middle. */
const COPY = `import pg from 'pg';
  const [url, from, to] = process.argv.slice(1);
  const client = new pg.Client(url);
  await client.connect();
  await client.query('CREATE SCHEMA ' + to + '; CREATE TABLE ' + to + '.rows (LIKE ' + from + '.rows INCLUDING ALL)');
  await client.query('INSERT INTO ' + to + '.rows SELECT * FROM ' + from + '.rows');
  await client.end();`;

type Close = () => void | Promise<void>;

/** The same, of one kind of step each, as a change of many rows. */
function inPartsIn(schema: string, identity: string, close: Close): ExecutorPlace {
  const job = (newest: string) =>
    postgresJob(identity, ['t'])
      .expectMax('rows', {}, 'id', newest)
      .copyAll('rows', { id: 'a' }, { id: 'd' })
      .update('rows', { id: 'b' }, { text: null })
      .delete('rows', { id: 'c' })
      .inParts([]);
  return { ...placeIn(schema, identity, close, inPartsIn), job: job('c'), stale: job('b') };
}

function placeIn(schema: string, identity: string, close: Close, again = placeIn): ExecutorPlace {
  const job = (newest: string) =>
    postgresJob(identity, ['t'])
      .expectRow('rows', { id: 'a' }, { text: 'one', n: 9007199254740993n })
      .expectAbsent('rows', { id: 'd' })
      .expectMax('rows', {}, 'id', newest)
      .copy('rows', { id: 'a' }, { id: 'd' })
      .insert('rows', { id: 'e', bytes: new Uint8Array([0, 255]) })
      .update('rows', { id: 'b' }, { text: null })
      .delete('rows', { id: 'c' });
  return {
    place: identity,
    job: job('c'),
    stale: job('b'),
    content: async () => {
      const rows = await db.run<{ line: string }>(`SELECT r::text AS line FROM ${schema}.rows r ORDER BY id`);
      return rows.map(({ line }) => line).join('\n');
    },
    disturb: async () => void (await db.run(`UPDATE ${schema}.rows SET text = 'saved by an agent' WHERE id = 'd'`)),
    crash: () => {
      const copy = newSchema();
      execFileSync(process.execPath, ['--input-type=module', '-e', COPY, db.url, schema, copy], {
        cwd: import.meta.dirname,
      });
      const other = identity.replace(/[^/]+$/, copy);
      return again(copy, other, keepPlace(other, { address: postgresAddress(db.url), schema: copy }));
    },
    close,
  };
}

describeWithPostgres('the engine of PostgreSQL', () => {
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  describe.each([
    ['at once', placeIn],
    ['in parts', inPartsIn],
  ] as const)('%s', (_, made) =>
    describeExecutor(postgresEngine, {
      make: async () => {
        const schema = newSchema();
        await db.run(`CREATE SCHEMA ${schema};
        CREATE TABLE ${schema}.rows (id text PRIMARY KEY, text text, n int8 DEFAULT 0, bytes bytea, doc jsonb);
        INSERT INTO ${schema}.rows VALUES ('a', 'one', 9007199254740993, '\\x00ff', '{"n": 1.10}'), ('b', 'two', NULL, NULL, NULL), ('c', NULL, 0, '', 'null')`);
        const opened = await openPostgres(db.url, { schema });
        return made(schema, opened.identity, () => opened.close());
      },
    }),
  );

  const SCHEMA = `
    CREATE TYPE mood AS ENUM ('good', 'bad');
    CREATE TABLE checkpoints (thread text, ns text DEFAULT '', id text, state jsonb NOT NULL, PRIMARY KEY (thread, ns, id));
    CREATE TABLE writes (thread text, id text, idx int, value bytea, PRIMARY KEY (thread, id, idx));
    CREATE TABLE kinds ("we""ird" int8 PRIMARY KEY, fixed char(5), exact numeric, real float8, small float4, raw json, at timestamptz,
      span interval, list text[], mood mood, bits varbit, size int GENERATED ALWAYS AS (length(fixed)) STORED, no uuid);
    CREATE TABLE series (n int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text);
    CREATE TABLE bare (a int);
    INSERT INTO checkpoints VALUES ('t', '', 'c1', '{"n": 1.10, "big": 12345678901234567890}'), ('t', '', 'c2', '[]'), ('u', '', 'c1', '1');
    INSERT INTO writes VALUES ('t', 'c1', -3, '\\x01'), ('t', 'c1', 0, NULL), ('u', 'c1', 0, '');
    INSERT INTO kinds VALUES (9223372036854775807, 'ab', 1.50, 0.1, 0.3, '{"a": 1,  "a": 2}', '2026-01-02 03:04:05.123456+02',
      '1 mon 2 days', ARRAY['a', NULL, '"'], 'bad', B'101', DEFAULT, NULL), (2, NULL, 'NaN', 'Infinity', '-0', 'null', 'infinity', NULL, '{}', NULL, B'', DEFAULT, gen_random_uuid());
    INSERT INTO series (text) VALUES ('a'), ('b');`;
  let opened: PostgresDatabase;
  beforeEach(async () => {
    const schema = newSchema();
    await db.run(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${SCHEMA} RESET search_path`);
    opened = await openPostgres(db.url, { schema });
  });
  afterEach(() => opened.close());

  const dump = async (): Promise<string> => {
    const tables = ['checkpoints', 'writes', 'kinds', 'series', 'bare'];
    const lines = await Promise.all(
      tables.map((table) => opened.query<{ line: string }>(`SELECT t::text AS line FROM ${table} t ORDER BY 1`)),
    );
    return lines.flatMap((rows, at) => rows.map(({ line }) => `${tables[at]} ${line}`)).join('\n');
  };
  const change = (sql: string) => db.run(`SET search_path = ${opened.schema}; ${sql}; RESET search_path`);
  const apply = (ops: readonly RowStep[], checks: readonly RowCheck[] = [], hooks: Partial<ApplyHooks> = {}) => {
    const job = { engine: 'postgres', place: opened.identity, steps: { checks: [...checks], ops: [...ops] } };
    return postgresEngine.apply(job, { tag: 'test', prepared: () => undefined, ...hooks });
  };
  const undo = async (images: readonly Image[]) => {
    const kept = images.map(({ mark, content }) => ({ mark: JSON.parse(JSON.stringify(mark)), content }));
    return postgresEngine.apply(await postgresEngine.undo(opened.identity, kept), {
      tag: 'undo',
      prepared: () => undefined,
    });
  };
  const key = (id: string) => ({ thread: 't', ns: '', id });
  const EVERYTHING: readonly RowStep[] = [
    { op: 'copy', table: 'checkpoints', key: key('c1'), set: { id: 'c4' } },
    { op: 'copy', table: 'writes', key: { thread: 't' }, set: { thread: 'copy' }, many: true },
    { op: 'delete', table: 'writes', key: { thread: 't', id: 'c1' }, expect: 2 },
    { op: 'update', table: 'checkpoints', key: key('c2'), set: { id: 'c9', state: '{"b": 2.0, "a": 1}' } },
    { op: 'copy', table: 'kinds', key: { 'we"ird': 2 }, set: { 'we"ird': 3, mood: 'good' } },
    { op: 'delete', table: 'kinds', key: { 'we"ird': 9223372036854775807n } },
    { op: 'update', table: 'kinds', key: { 'we"ird': 2 }, set: { exact: '0.10', span: '01:00:00', fixed: 'x' } },
    { op: 'copy', table: 'series', key: { n: 1 }, set: {} },
    { op: 'update', table: 'series', key: { n: 1 }, set: { text: 'c' } },
    { op: 'delete', table: 'series', key: { n: 2 } },
  ];

  it('changes many rows in parts, of every type, and undoes it', async () => {
    const before = await dump();
    const job = postgresJob(opened.identity, [])
      .expectAbsent('writes', { thread: 'v' })
      .copyAll('writes', { thread: 't' }, { thread: 'v' })
      .copyAll('checkpoints', { thread: 't' }, { thread: 'v' })
      .update('checkpoints', { thread: 'u', id: 'c1' }, { ns: 'x' })
      .delete('kinds', {}, { expect: 2 })
      .inParts(['writes', 'kinds']);
    const steps: string[] = [];
    const onStep = (step: string) => steps.push(step);
    const { images } = await postgresEngine.apply(job, { tag: 'test', prepared: () => undefined, onStep });
    expect(steps).toEqual(['intent', 'slice', 'written', 'slice']);
    const marks = images.map(({ mark }) => mark);
    expect(new Set((await postgresEngine.compare(opened.identity, marks)).map(({ is }) => is))).toEqual(
      new Set(['after']),
    );
    expect(await dump()).not.toBe(before);
    await undo(images);
    expect(await dump()).toBe(before);
    await change("UPDATE checkpoints SET state = '[2]' WHERE id = 'c2'");
    await expect(undo(images)).rejects.toMatchObject({ code: 'changed' });
  });

  it('does every kind of op on every kind of column, and puts back every byte, again and again', async () => {
    const before = await dump();
    const applied = await apply(EVERYTHING);
    const done = await dump();
    expect(done).toContain('checkpoints (t,"",c4,"{""n"": 1.10, ""big"": 12345678901234567890}")');
    expect(done).toContain('series (3,a)');
    expect(done).not.toContain('9223372036854775807');
    expect(applied.done).toContain('removed 2 rows from writes');
    const undone = await undo(applied.images);
    expect(await dump()).toBe(before);
    const redone = await undo(undone.images);
    expect(await dump()).toBe(done);
    await undo(redone.images);
    expect(await dump()).toBe(before);
  });

  it.each<[string, RowStep]>([
    ['update of no row', { op: 'update', table: 'checkpoints', key: key('no'), set: { state: '1' } }],
    ['update of many rows', { op: 'update', table: 'checkpoints', key: { thread: 't' }, set: { state: '1' } }],
    ['delete of more rows', { op: 'delete', table: 'checkpoints', key: { thread: 't' }, expect: 1 }],
    ['insert over a row', { op: 'insert', table: 'checkpoints', row: { ...key('c1'), state: '1' } }],
    ['unknown table', { op: 'delete', table: 'no"; DROP TABLE bare; --', key: {} }],
    ['unknown column', { op: 'update', table: 'checkpoints', key: key('c1'), set: { 'x"y': 1 } }],
    ['row that nothing names', { op: 'delete', table: 'bare', key: { a: 1 } }],
    ['value that is not of the column', { op: 'update', table: 'checkpoints', key: key('c1'), set: { state: '{' } }],
  ])('refuses the %s, with everything before it', async (_name, op) => {
    const before = await dump();
    await expect(apply([...EVERYTHING.slice(0, 2), op])).rejects.toMatchObject({ name: 'InspectorError' });
    expect(await dump()).toBe(before);
  });

  it('refuses what a trigger or a cascade would add', async () => {
    await change(`CREATE TABLE child (thread text, ns text, id text, k int PRIMARY KEY,
        FOREIGN KEY (thread, ns, id) REFERENCES checkpoints ON DELETE CASCADE); INSERT INTO child VALUES ('t', '', 'c1', 1)`);
    const before = await dump();
    const ops: RowStep[] = [{ op: 'delete', table: 'checkpoints', key: key('c1') }];
    await expect(apply(ops)).rejects.toMatchObject({ code: 'unsupported' });
    expect(await dump()).toBe(before);
    const { images } = await apply([{ op: 'delete', table: 'child', key: { k: 1 } }, ...ops]);
    await undo(images);
    expect(await dump()).toBe(before);
    await change(`CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN DELETE FROM ${opened.schema}.series; RETURN NULL; END $$;
      CREATE TRIGGER more AFTER DELETE ON writes EXECUTE FUNCTION more()`);
    const write: RowStep = { op: 'delete', table: 'writes', key: { thread: 'u', id: 'c1', idx: 0 } };
    await expect(apply([write])).rejects.toMatchObject({ code: 'unsupported' });
    expect(await dump()).toBe(before);
  });

  it('keeps agents from writing between its checks and its end, never from reading', async () => {
    const checks: RowCheck[] = [
      { check: 'max', table: 'checkpoints', key: { thread: 't' }, column: 'id', value: 'c2' },
    ];
    let saved: Promise<unknown> | undefined;
    let isSaved = false;
    await apply(EVERYTHING.slice(0, 1), checks, {
      prepared: async () => {
        saved = change("INSERT INTO checkpoints VALUES ('t', '', 'c3', '3')").then(() => (isSaved = true));
        const waiting =
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
        await expect.poll(() => opened.query(waiting)).toHaveLength(1);
        expect(await opened.query("SELECT id FROM checkpoints WHERE thread = 't'")).toHaveLength(2);
        expect(isSaved).toBe(false);
      },
    });
    await saved;
    expect(await opened.query("SELECT id FROM checkpoints WHERE thread = 't'")).toHaveLength(4);
    await expect(apply(EVERYTHING.slice(0, 1), checks)).rejects.toMatchObject({ code: 'head_moved' });
  });

  it('has not happened when the connection is lost before its end, and says so', async () => {
    const before = await dump();
    let images: readonly Image[] = [];
    const prepared = async (all: readonly Image[]) => {
      images = all;
      await db.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND datname = current_database()`);
    };
    await expect(apply(EVERYTHING, [], { prepared })).rejects.toMatchObject({ code: 'busy' });
    const settled = await postgresEngine.settle(opened.identity, images, { tag: 'test' });
    expect([settled.outcome, settled.skipped.length]).toEqual(['rolled-back', images.length]);
    expect(await dump()).toBe(before);
  });

  it('knows a database only while it is open, and writes no password into its jobs', async () => {
    const { images } = await apply(EVERYTHING);
    const job = await postgresEngine.undo(opened.identity, images);
    const password = new URL(db.url).password;
    if (password !== '') expect(JSON.stringify({ job, images })).not.toContain(password);
    await opened.close();
    await expect(postgresEngine.compare(opened.identity, [])).rejects.toMatchObject({ code: 'no_store' });
    opened = await openPostgres(db.url, { schema: opened.schema });
    await expect(postgresEngine.compare(opened.identity, [])).resolves.toEqual([]);
  });
});
