import type { SqliteDatabase } from '@checkpoint-inspector/io';
import type { Condition } from './conditions.ts';
import { toFound, type DocumentRow } from '../cache/documents.ts';
import type { Matcher } from './matcher.ts';
import { KIND, type Texts, type TextRow } from '../cache/texts.ts';
import type { Found, FoundIn, Snippet } from '../cache/types.ts';
import { snippetOf } from './snippet.ts';
import { LONGEST_VALUE } from '../cache/writer.ts';

/** Numbers of a value (0: only the path), a task and a path. */
export interface Spot {
  readonly value: number;
  readonly task: number;
  readonly path: number;
}

export type Looker = ReturnType<typeof createLooker>;

/** Only what was read to its end, or as far as it is searched. */
const READ = 'd.state IN (1, 2)';
/** As many of the spans before a document as may have ended before it. */
const SPANS_BACK = 64;

export function createLooker(db: SqliteDatabase, texts: Texts, matcher: Matcher | undefined, condition: Condition) {
  const held = `FROM spans s CROSS JOIN documents d ON d.doc BETWEEN s.first AND s.last AND d.task = s.task
    WHERE s.value = ? AND s.task = ? AND s.path = ? AND ${READ} AND ${condition.sql}`;
  const alive = db.prepare(`SELECT 1 ${held} LIMIT 1`);
  const sum = db.prepare<{ n: number; low: number; high: number }>(
    `SELECT count(*) AS n, min(d.seq) AS low, max(d.seq) AS high ${held}`,
  );
  const at = db.prepare<DocumentRow>(
    `SELECT d.* FROM documents d WHERE d.task = ? AND d.seq = ? AND ${READ} AND ${condition.sql} AND EXISTS (
       SELECT 1 FROM spans s WHERE s.value = ? AND s.task = d.task AND s.path = ? AND d.doc BETWEEN s.first AND s.last)`,
  );
  const byDoc = db.prepare<DocumentRow>('SELECT * FROM documents d WHERE d.doc = ?');
  const valueAt = db.prepare<{ value: number; last: number }>(
    `SELECT value, last FROM spans WHERE path = ? AND task = ? AND first <= ? AND value > 0 ORDER BY first DESC LIMIT ${SPANS_BACK}`,
  );
  const { values } = condition;
  const documentAt = ({ value, task, path }: Spot, seq: number) => at.get(task, seq, ...values, value, path);

  const snippet = ({ value, task, path }: Spot, doc: number): { snippet?: Snippet; row?: TextRow } => {
    const id = value > 0 ? value : valueAt.all(path, task, doc).find(({ last }) => last >= doc)?.value;
    const row = id === undefined ? undefined : texts.get(id);
    if (row === undefined) return {};
    const marks = matcher?.marksIn(row.text) ?? [];
    return { row, snippet: snippetOf(row.kind, row.text, marks, row.text.length >= LONGEST_VALUE) };
  };

  return {
    /** Whether a checkpoint that passes the filters holds it. */
    isAlive: ({ value, task, path }: Spot) => alive.get(value, task, path, ...values) !== undefined,
    look(spot: Spot, task: string): Found | undefined {
      const { n, low, high } = sum.get(spot.value, spot.task, spot.path, ...values) ?? { n: 0, low: 0, high: 0 };
      const [first, last] = n === 0 ? [] : [documentAt(spot, low), documentAt(spot, high)];
      if (first === undefined || last === undefined) return undefined;
      const path = texts.get(spot.path)?.text ?? '';
      const { row, snippet: shown } = snippet(spot, last.doc);
      return {
        in: foundIn(spot, row),
        ...(path === '' ? {} : { path }),
        pathMarks: matcher?.pathMarks(path) ?? [],
        ...(shown === undefined ? {} : { snippet: shown }),
        firstSeen: toFound(first, task),
        lastSeen: toFound(last, task),
        count: n,
      };
    },
    /** A checkpoint by its number. */
    checkpoint(doc: number, task: string): Found | undefined {
      const row = byDoc.get(doc);
      if (row === undefined) return undefined;
      const found = toFound(row, task);
      return { in: 'checkpoint', pathMarks: [], firstSeen: found, lastSeen: found, count: 1 };
    },
  };
}

function foundIn({ value }: Spot, row: TextRow | undefined): FoundIn {
  if (row?.kind === KIND.name) return 'name';
  return value === 0 ? 'path' : 'value';
}
