import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeLineage, type LineageColumns, LineageEncoder } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { openSqlite } from '@checkpoint-inspector/io';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeMany } from '../../scale/many.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';

function pathFor(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lineage-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'agent.db');
}

async function rowsOf(store: SqliteStore, task: string) {
  const encoder = new LineageEncoder(task);
  const kinds = new Set<string>();
  for await (const part of store.lineageParts(task)) {
    kinds.add('rows' in part ? 'rows' : part.parents === undefined ? 'chain' : 'columns');
    encoder.addPart(part);
  }
  return { rows: decodeLineage(JSON.parse(encoder.end()) as LineageColumns), kinds: [...kinds] };
}

describe('parts of a tree', () => {
  it('are the columns of its rows, wherever special rows come among the others', async () => {
    const path = pathFor();
    await writeMany(path, { tasks: 1, each: 7_000 });
    const db = openSqlite(path, { readOnly: false });
    onTestFinished(() => db.close());
    const store = await openSqliteStore({ path, readOnly: true });
    onTestFinished(() => store.close());
    const expectSame = async (kinds: readonly string[]): Promise<void> => {
      const { rows, kinds: found } = await rowsOf(store, 't-0');
      expect(found).toEqual(kinds);
      expect(rows).toEqual(await collect(store.lineage('t-0')));
    };
    await expectSame(['chain']);
    db.exec("UPDATE checkpoints SET parent_id = 'c-10' WHERE id IN ('c-2500', 'c-6999')");
    await expectSame(['chain', 'columns']);
    db.exec("UPDATE checkpoints SET beside = '{}' WHERE id = 'c-4500'");
    await expectSame(['chain', 'columns', 'rows']);
    db.exec("UPDATE checkpoints SET namespace = 'sub' WHERE id IN ('c-3998', 'c-3999')");
    await expectSame(['chain', 'rows', 'columns']);
    db.exec("DELETE FROM checkpoints WHERE id IN ('c-0', 'c-2000', 'c-10')");
    await expectSame(['columns', 'rows']);
  });

  it.each(['1.5', '1e300', "'a step'"])(
    'have a step that JSON would round, or none, like the row: %s',
    async (step) => {
      const path = pathFor();
      await writeMany(path, { tasks: 1, each: 5 });
      const db = openSqlite(path, { readOnly: false });
      onTestFinished(() => db.close());
      db.exec(`UPDATE checkpoints SET step_index = ${step} WHERE id = 'c-3'`);
      const store = await openSqliteStore({ path, readOnly: true });
      onTestFinished(() => store.close());
      const { rows, kinds } = await rowsOf(store, 't-0');
      expect(kinds).toEqual(['rows']);
      expect(rows).toEqual(await collect(store.lineage('t-0')));
    },
  );

  it('have ids, times, steps and words as they were saved', async () => {
    const word = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '\u007f', '\u2028', 'é'));
    const rows = fc.array(
      fc.record({
        id: word.filter((id) => id !== '' && id.isWellFormed()),
        description: fc.option(
          word.filter((text) => text.isWellFormed()),
          { nil: undefined },
        ),
        stepIndex: fc.option(fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })), {
          nil: undefined,
        }),
        createdAt: fc.option(fc.constantFrom('2026-01-31T10:00:00Z', '2026-01-31T10:00:00.123Z'), { nil: undefined }),
        status: fc.constantFrom('running', 'failed', undefined),
        parent: fc.option(fc.record({ task: fc.constantFrom('t', 'u'), id: fc.constantFrom('a', '"') }), {
          nil: undefined,
        }),
      }),
      { maxLength: 12 },
    );
    const store = await openSqliteStore({ path: pathFor() });
    onTestFinished(() => store.close());
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        await store.removeTask('t');
        for (const { parent, ...row } of given) {
          const own = parent?.task === 't' && parent.id === row.id;
          const { description, stepIndex, createdAt, status } = row;
          await store.save({
            task: 't',
            id: row.id,
            value: 1,
            ...(own || parent === undefined ? {} : { parent }),
            ...(description === undefined ? {} : { description }),
            ...(stepIndex === undefined ? {} : { stepIndex }),
            ...(createdAt === undefined ? {} : { createdAt }),
            ...(status === 'running' || status === 'failed' ? { status } : {}),
          });
        }
        expect((await rowsOf(store, 't')).rows).toEqual(await collect(store.lineage('t')));
      }),
      { numRuns: 40 },
    );
  });
});
