import { join } from 'node:path';
import { openSqlite, prepared } from '@checkpoint-inspector/io';
import { KEEP, type Side, type SideKind, type Step } from './side.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS checkpoints (
  seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, parent TEXT, at TEXT NOT NULL, text TEXT NOT NULL)`;
const INSERT = 'INSERT INTO checkpoints (id, parent, at, text) VALUES (?, ?, ?, ?)';
const BY_ID = 'SELECT text FROM checkpoints WHERE id = ?';
const PAGE = 'SELECT id, parent, at FROM checkpoints ORDER BY seq DESC LIMIT +?';
const OLDER = `DELETE FROM checkpoints WHERE seq <=
  (SELECT seq FROM checkpoints ORDER BY seq DESC LIMIT 1 OFFSET ?)`;

/** The whole state as text in a row of SQLite: what most agents do. */
export const fullRows: SideKind = {
  name: 'rows',
  label: 'full rows in SQLite',
  isWhole: true,
  open: async (folder, keep = KEEP) => openRows(join(folder, 'rows.db'), keep),
};

function openRows(path: string, keep: number): Side {
  const db = openSqlite(path, { readOnly: false, create: true });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(TABLE);
  const insert = ({ id, parent, state }: Step) =>
    prepared(db, INSERT).run(id, parent ?? null, new Date().toISOString(), JSON.stringify(state));
  const text = async (id: string) => prepared<{ text: string }>(db, BY_ID).get(id)?.text ?? '';
  return {
    save: async (step) => void insert(step),
    text,
    value: async (id) => JSON.parse(await text(id)),
    page: async (limit) => prepared(db, PAGE).all(limit).length,
    prune: async (step) =>
      db.transaction(() => {
        insert(step);
        prepared(db, OLDER).run(keep);
      }),
    close: async () => db.close(),
  };
}
