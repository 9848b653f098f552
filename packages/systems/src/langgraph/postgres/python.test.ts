import { decode, ExtensionCodec } from '@msgpack/msgpack';
import {
  fromJsonText,
  patchJson,
  refKey,
  setMember,
  type CheckpointMeta,
  type CheckpointRef,
} from '@checkpoint-inspector/core';
import { allPages, collect, refOf } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyPlan, undoPlan } from '../../test-executor.ts';
import { openPython, type TestStore } from '../test-store.ts';
import { loadPython } from './test-python.ts';
import { dumpOf } from './test-saver.ts';
import { openPostgresStore, POSTGRES_DDL, type PostgresStore } from './test-store.ts';

const codec = new ExtensionCodec();

describeWithPostgres("Python's rows in PostgreSQL read as they do in SQLite", () => {
  let file: TestStore;
  let store: PostgresStore;
  beforeAll(async () => {
    file = await openPython();
    store = await openPostgresStore(async (database) => {
      await database.run(POSTGRES_DDL);
      await loadPython(file.database, database);
    });
  });
  afterAll(async () => {
    await store.close();
    await file.close();
  });

  const all = ({ source }: { readonly source: TestStore['source'] }, thread: string) =>
    allPages((cursor) => source.checkpoints(thread, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }));
  /** Sizes are those of other tables, and PostgreSQL's JSON does not keep the order of the nodes that ran together. */
  const ran = (description = '') => description.split(/[,;] /).toSorted();
  const known = ({ store: _store, sizeBytes: _size, description, ...rest }: CheckpointMeta) => ({
    ...rest,
    ran: ran(description),
  });
  const threads = async () => (await file.source.tasks({ limit: 100 })).items.map(({ id }) => id);

  test('the threads', async () => {
    const facts = async ({ source }: { readonly source: TestStore['source'] }) =>
      (await source.tasks({ limit: 100 })).items.map(({ store: _store, sizeBytes: _size, ...rest }) => rest);
    expect(await facts(store)).toEqual(await facts(file));
  });

  test('the checkpoints: order, parents, times, nodes, status and what runs next', async () => {
    for (const thread of await threads()) {
      const expected = (await all(file, thread)).map(known);
      expect((await all(store, thread)).map(known), thread).toEqual(expected);
      const lineage = async (one: { readonly source: TestStore['source'] }) => {
        return (await collect(one.source.lineage(thread))).map(({ description, ...rest }) => ({
          ...rest,
          ran: ran(description),
        }));
      };
      expect(await lineage(store), thread).toEqual(await lineage(file));
    }
  });

  test('every state, delta channels too', async () => {
    let read = 0;
    const values = async ({ source }: { readonly source: TestStore['source'] }, ref: CheckpointRef) =>
      fromJsonText((await source.state(ref))?.text ?? '');
    for (const thread of await threads()) {
      for (const meta of await all(file, thread)) {
        const ref = refOf(meta);
        expect(await values(store, ref), refKey(ref)).toEqual(await values(file, ref));
        read++;
      }
    }
    const { items } = await file.source.tasks({ limit: 100 });
    expect(read).toBe(items.reduce((sum, { checkpointCount }) => sum + checkpointCount, 0));
  });

  test('errors, questions, writes and the nodes that they are of', async () => {
    for (const thread of await threads()) {
      for (const meta of await all(file, thread)) {
        const ref = refOf(meta);
        expect(await store.source.beside?.(ref), refKey(ref)).toEqual(await file.source.beside?.(ref));
      }
    }
  });

  test('a restore changes id and time of the row and shares its values; undo takes it away again', async () => {
    const thread = 'react-weather';
    const [, older] = await all(store, thread);
    if (older === undefined) throw new Error('The thread has several checkpoints.');
    const ref = refOf(older);
    const columns = async (id: string) => {
      const sql = `SELECT (checkpoint - 'id' - 'ts')::text AS rest, checkpoint ->> 'id' AS id, parent_checkpoint_id AS parent
        FROM checkpoints WHERE thread_id = $1 AND checkpoint_ns = '' AND checkpoint_id = $2`;
      return (await store.database.run<{ rest: string; id: string; parent: string | null }>(sql, [thread, id]))[0];
    };
    const blobs = () => store.database.run('SELECT count(*)::text AS n FROM checkpoint_blobs');
    const before = await blobs();
    const plan = await store.source.plan({ kind: 'restore', ref });
    const { images } = await applyPlan(plan);
    const { ref: latest } = await store.source.latest(thread);
    expect(latest).toEqual(plan.view.latestAfter);
    const [was, is] = [await columns(ref.id), await columns(latest?.id ?? '')];
    expect(is).toEqual({ ...was, id: latest?.id });
    expect((await store.source.state({ task: thread, id: latest?.id ?? '' }))?.text).toBe(
      (await store.source.state(ref))?.text,
    );
    expect(await blobs()).toEqual(before);
    await undoPlan(plan, images);
    expect((await store.source.latest(thread)).ref?.id).not.toBe(latest?.id);
  });

  describe('an edit', () => {
    const thread = 'react-weather';
    const headOf = async () => (await store.source.latest(thread)).ref ?? expect.fail('no head');
    const dump = () => dumpOf(store.database);
    const rowOf = async (id: string) => {
      const sql = `SELECT checkpoint::text AS checkpoint, parent_checkpoint_id AS parent FROM checkpoints
        WHERE thread_id = $1 AND checkpoint_id = $2`;
      const [row] = await store.database.run<{ checkpoint: string; parent: string | null }>(sql, [thread, id]);
      if (!row) throw new Error(`No row ${id}.`);
      const { channel_values: values, channel_versions: versions } = JSON.parse(row.checkpoint) as Record<
        'channel_values' | 'channel_versions',
        Record<string, unknown>
      >;
      return { parent: row.parent, values, versions };
    };
    /** As its own decoder reads the blob that a row names. */
    const blobOf = async (id: string, channel: string) => {
      const { versions } = await rowOf(id);
      const sql = `SELECT type, blob FROM checkpoint_blobs WHERE thread_id = $1 AND channel = $2 AND version = $3`;
      const [row] = await store.database.run<{ type: string; blob: Uint8Array }>(sql, [
        thread,
        channel,
        String(versions[channel]),
      ]);
      return row && { type: row.type, value: decode(row.blob, { extensionCodec: codec }) };
    };
    const edited = async (text: string) => {
      const before = await dump();
      const plan = await store.source.plan({ kind: 'edit', ref: await headOf(), text });
      const { images } = await applyPlan(plan);
      const made = plan.view.latestAfter ?? expect.fail('no latest');
      expect((await headOf()).id).toBe(made.id);
      expect(await store.source.state(made)).toMatchObject({ revision: plan.view.proofHash });
      const undo = async () => {
        await undoPlan(plan, images);
        expect(await dump()).toBe(before);
      };
      return { id: made.id, undo };
    };

    test('of small values stays in the row; a list becomes a blob, and what is unchanged is shared', async () => {
      const head = await headOf();
      const { text = '' } = (await store.source.state(head)) ?? {};
      const added = setMember(
        setMember(setMember(text, [], 'note', '"é\\n"'), [], 'n', '1.50'),
        [],
        'list',
        '[1, {"a":null}]',
      );
      const { id, undo } = await edited(added);
      const [before, after] = [await rowOf(head.id), await rowOf(id)];
      expect(after).toMatchObject({ parent: head.id, values: { ...before.values, note: 'é\n', n: 1.5 } });
      expect(after.values).not.toHaveProperty('list');
      expect(await blobOf(id, 'list')).toEqual({ type: 'msgpack', value: [1, { a: null }] });
      const { note, n, list, ...others } = after.versions;
      expect(others).toEqual(before.versions);
      expect(new Set([note, n, list]).size).toBe(1);
      expect(String(note)).toMatch(/^\d{32}\.0\.\d{16}$/);

      const second = await edited(setMember(setMember(added, [], 'list', '7'), [], 'n', '[]'));
      const row = await rowOf(second.id);
      expect([row.values['list'], row.values['n'], row.values['note']]).toEqual([7, undefined, 'é\n']);
      expect(await blobOf(second.id, 'n')).toEqual({ type: 'msgpack', value: [] });
      expect(await blobOf(second.id, 'list')).toBeUndefined();
      await second.undo();
      await undo();
    });

    test('of a message changes its text alone in the bytes', async () => {
      const head = await headOf();
      const { text = '' } = (await store.source.state(head)) ?? {};
      const [message] = (JSON.parse(text) as { messages: { content: string }[] }).messages;
      const changed = patchJson(text, [{ path: ['messages', 0, 'content'], text: '"corrected"' }]);
      const { id, undo } = await edited(changed);
      expect((await store.source.state({ task: thread, id }))?.text).toBe(changed);
      const [was, is] = [await blobOf(head.id, 'messages'), await blobOf(id, 'messages')];
      expect(JSON.stringify(was)).not.toBe(JSON.stringify(is));
      expect(message?.content).not.toBe('corrected');
      await undo();
    });

    test.each([
      ['1e5', 'unsupported', /\$\.n, PostgreSQL wouldn't keep 1e5/],
      ['-0.0', 'unsupported', /-0\.0/],
      ['"\\u0000"', 'unsupported', /NUL/],
      ['"\\ud800"', 'unsupported', /surrogate/],
      ['NaN', 'unsupported', /NaN/],
      ['{"$type":"builtins.set","value":[1]}', 'unsupported', /\$\.n, it has a builtins\.set/],
      ['{"lc":2,"type":"constructor","id":["os","system"],"args":[]}', 'unsupported', /construct/],
    ])('of a value that is not kept exactly is refused, with its place: %s', async (value, code, message) => {
      const { text = '' } = (await store.source.state(await headOf())) ?? {};
      const plan = store.source.plan({ kind: 'edit', ref: await headOf(), text: setMember(text, [], 'n', value) });
      await expect(plan).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    });
  });
});
