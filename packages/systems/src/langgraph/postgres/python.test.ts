import { fromJsonText, refKey, type CheckpointMeta, type CheckpointRef } from '@checkpoint-inspector/core';
import { allPages, collect, refOf } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, undoPlan } from '../../test-executor.ts';
import { openPython, type TestStore } from '../test-store.ts';
import { loadPython } from './test-python.ts';
import { openPostgresStore, POSTGRES_DDL, type PostgresStore } from './test-store.ts';

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
});
