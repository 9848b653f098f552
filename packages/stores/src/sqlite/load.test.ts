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

it('reads each node of a state once, and of its parent the few that it does not share', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'load-'));
  const path = join(folder, 'a.db');
  const store = await openSqliteStore({ path });
  await store.save({ task: 't', id: 'parent', value: state(MESSAGES) });
  await store.save({ task: 't', id: 'child', value: state(MESSAGES + 1), parent: { task: 't', id: 'parent' } });
  const db = openSqlite(path, { readOnly: true });
  onTestFinished(async () => {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const work: Work = { statements: 0, rows: 0 };
  const reader = counting(db, work);
  const load = (id: string): Work => {
    Object.assign(work, { statements: 0, rows: 0 });
    const count = id === 'child' ? MESSAGES + 1 : MESSAGES;
    expect(readState(reader, { task: 't', id })?.text).toBe(JSON.stringify(state(count)));
    return { ...work };
  };
  const first = load('child');
  expect(first.rows).toBeGreaterThan(MESSAGES);
  expect(first.rows).toBeLessThan(MESSAGES * 1.3);
  // The format, the row, a level at a time, and one that says when what is known is void.
  expect(first.statements).toBeLessThanOrEqual(9);
  const next = load('parent');
  expect(next.rows).toBeLessThanOrEqual(14);
  expect(next.statements).toBeLessThanOrEqual(7);
  // All of it is known, so the row, the root and whether they are still there are what is left.
  expect(load('child')).toEqual({ statements: 3, rows: 3 });
});
