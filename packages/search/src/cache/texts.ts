import { maskSecrets } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { SHORTEST_INDEXED, fold, hashText } from './fold.ts';
import { KIND, type TextKind } from './kinds.ts';

export { KIND, type TextKind } from './kinds.ts';

export interface TextRow {
  readonly id: number;
  readonly kind: TextKind;
  readonly text: string;
}

const MOST_KNOWN = 50_000;

export type Texts = ReturnType<typeof createTexts>;

/** Every text once. */
export function createTexts(db: SqliteDatabase) {
  const byHash = db.prepare<TextRow>('SELECT id, kind, text FROM texts WHERE hash = ? AND kind = ?');
  const byId = db.prepare<TextRow>('SELECT id, kind, text FROM texts WHERE id = ?');
  const insert = db.prepare('INSERT INTO texts (hash, kind, text) VALUES (?, ?, ?)');
  const index = db.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  const paths = new Map<string, number>();

  const add = (kind: TextKind, text: string, hash: number): number => {
    const id = Number(insert.run(hash, kind, text).lastInsertRowid);
    if (text.length >= SHORTEST_INDEXED) index.run(id, fold(text));
    return id;
  };
  const idOf = (kind: TextKind, stored: string, most?: number): number => {
    const text = maskSecrets(stored).slice(0, most).toWellFormed();
    const hash = hashText(text, kind);
    return byHash.all(hash, kind).find((row) => row.text === text)?.id ?? add(kind, text, hash);
  };
  return {
    /**
     * The number of a text, which is written and indexed when it is new. Secrets of known shapes are masked, then it is
     * cut at `most` characters.
     */
    idOf(kind: TextKind, text: string, most?: number): number {
      if (kind !== KIND.path) return idOf(kind, text, most);
      const known = paths.get(text);
      if (known !== undefined) return known;
      if (paths.size >= MOST_KNOWN) paths.clear();
      const id = idOf(kind, text);
      paths.set(text, id);
      return id;
    },
    get: (id: number) => byId.get(id),
    /** After a rollback: what was remembered may not be there. */
    forget: () => paths.clear(),
  };
}
