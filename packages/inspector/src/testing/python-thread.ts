/** For tests: a LangGraph thread whose payloads are Python's pickle, which is not read. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, type SqlRow } from '@checkpoint-inspector/io';
import { LANGGRAPH_DDL, langgraphRow, langgraphWrite, newerId } from '@checkpoint-inspector/systems/langgraph';
import { onTestFinished } from 'vitest';

const TS = '2026-01-01T00:00:00Z';

/** The path of a SQLite file with a thread `t` of so many checkpoints, and one write on the last of them. */
export async function pythonThread(
  write: { readonly task: string; readonly channel: string; readonly idx: number },
  checkpoints = 1,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'python-thread-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'graph.sqlite');
  const db = openSqlite(path, { readOnly: false, create: true });
  db.exec(LANGGRAPH_DDL);
  const insert = (table: string, row: SqlRow): void => {
    const names = Object.keys(row);
    const marks = names.map((name) => `:${name}`);
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks.join(', ')})`).run(row);
  };
  const pickle = (column: string): SqlRow => ({ type: 'pickle', [column]: new Uint8Array([0x80, 0x04, 0x4e, 0x2e]) });
  let id: string | undefined;
  for (let step = 0; step < checkpoints; step++) {
    const parent = id === undefined ? {} : { parent: id };
    ({ id } = newerId(id, step, new Date(TS)));
    const row = langgraphRow({ thread: 't', id, ...parent, ts: TS, source: 'loop', step, values: {} });
    insert('checkpoints', { ...row, ...pickle('checkpoint') });
  }
  const { task: taskId, channel, idx } = write;
  const row = langgraphWrite({ thread: 't', id: id ?? '', taskId, idx, channel, value: null });
  insert('writes', { ...row, ...pickle('value') });
  db.close();
  return path;
}
