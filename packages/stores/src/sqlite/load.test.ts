/** What a connection reads to load a state, and one beside it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type SqliteDatabase, type SqliteStatement } from '@checkpoint-inspector/io';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from './index.ts';
import { readState } from './read.ts';

const MESSAGES = 2_000;

const state = (count: number) => ({
  title: 'a long conversation',
  messages: Array.from({ length: count }, (_, n) => ({ id: n, content: `${n} `.repeat(120) })),
});

interface Work {
  statements: number;
  rows: number;
}

/** The same database, which counts what is asked of it. */
function counting(db: SqliteDatabase, work: Work): SqliteDatabase {
  const counted = <T>(rows: T, count: number): T => {
    work.statements++;
    work.rows += count;
    return rows;
  };
  const prepare = <Row>(...args: Parameters<SqliteDatabase['prepare']>): SqliteStatement<Row> => {
    const statement = db.prepare<Row>(...args);
    const all: typeof statement.all = (...given) => {
      const rows = statement.all(...given);
      return counted(rows, rows.length);
    };
    return { ...statement, all, get: (...given) => counted(statement.get(...given), 1) };
  };
  return Object.create(db, { prepare: { value: prepare } });
}

/** A parent and its child, and a connection that counts what it is asked. */
async function family(parent: object, child: object) {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  const path = join(folder, 'a.db');
  const store = await openSqliteStore({ path });
  await store.save({ task: 't', id: 'parent', value: parent });
  await store.save({ task: 't', id: 'child', value: child, parent: { task: 't', id: 'parent' } });
  const db = openSqlite(path, { readOnly: true });
  onTestFinished(async () => {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const work: Work = { statements: 0, rows: 0 };
  return { path, store, work, reader: counting(db, work) };
}

const at = (id: string) => ({ task: 't', id });

it('reads each node of a state once, and with them the few that only its parent has', async () => {
  const { work, reader } = await family(state(MESSAGES), state(MESSAGES + 1));
  const load = (id: string): Work => {
    Object.assign(work, { statements: 0, rows: 0 });
    const count = id === 'child' ? MESSAGES + 1 : MESSAGES;
    expect(readState(reader, at(id))?.text).toBe(JSON.stringify(state(count)));
    return { ...work };
  };
  const first = load('child');
  expect(first.rows).toBeGreaterThan(MESSAGES);
  expect(first.rows).toBeLessThan(MESSAGES * 1.3);
  // The format, the row, a level at a time, one that says when what is known is void, and the parent with its nodes.
  expect(first.statements).toBeLessThanOrEqual(17);
  // All of it is known, so the row and whether it is still there are what is left.
  expect(load('parent')).toEqual({ statements: 2, rows: 2 });
  // The root as well.
  expect(load('child')).toEqual({ statements: 3, rows: 3 });
});

it('reads no whole other state, where the parent has little in common with its child', async () => {
  const other = { messages: Array.from({ length: MESSAGES }, (_, n) => ({ other: n, content: `${n}-`.repeat(120) })) };
  const { work, reader } = await family(other, state(MESSAGES));
  expect(readState(reader, at('child'))?.text).toBe(JSON.stringify(state(MESSAGES)));
  expect(work.rows).toBeLessThan(MESSAGES * 1.3);
  expect(readState(reader, at('parent'))?.text).toBe(JSON.stringify(other));
});

it('reads a state whose parent is damaged, and says so of the parent alone', async () => {
  const { path, reader } = await family(state(MESSAGES), state(MESSAGES + 1));
  const writer = openSqlite(path, { readOnly: false });
  writer.exec("UPDATE nodes SET body = '\u001f9' WHERE id = (SELECT root FROM checkpoints WHERE id = 'parent')");
  writer.close();
  expect(readState(reader, at('child'))?.text).toBe(JSON.stringify(state(MESSAGES + 1)));
  expect(() => readState(reader, at('parent'))).toThrow(expect.objectContaining({ code: 'unreadable' }));
});

it('reads a parent again that was replaced after its child was read', async () => {
  const { store, reader } = await family(state(MESSAGES), state(MESSAGES + 1));
  expect(readState(reader, at('child'))).toBeDefined();
  await store.save({ task: 't', id: 'parent', value: { title: 'another' } });
  await store.remove(at('child'));
  expect(readState(reader, at('parent'))?.text).toBe('{"title":"another"}');
});
