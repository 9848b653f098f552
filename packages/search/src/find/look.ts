import type { SqliteDatabase } from '@checkpoint-inspector/io';
import type { Condition } from './conditions.ts';
import { toFound, type DocumentRow } from '../cache/documents.ts';
import type { Matcher } from './matcher.ts';
import { KIND, type Texts, type TextRow, type TextKind } from '../cache/texts.ts';
import type { Found, FoundIn, Snippet, TextMark } from '../cache/types.ts';
import { LONGEST_VALUE } from '../cache/writer.ts';
import { quoteJson } from '@checkpoint-inspector/core';

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

const BEFORE = 60;
const LONGEST = 240;

/** JSON text around the first mark: a string with its quotes where it is not cut. `wasCut`: the index has no more. */
export function snippetOf(kind: TextKind, text: string, marks: readonly TextMark[], wasCut: boolean): Snippet {
  const first = marks[0]?.start ?? 0;
  const start =
    text.length <= LONGEST ? 0 : wholeCharacter(text, Math.max(0, Math.min(first - BEFORE, text.length - LONGEST)));
  const end = wholeCharacter(text, Math.min(text.length, start + LONGEST));
  const quote = kind === KIND.string;
  const cutBefore = start > 0;
  const cutAfter = end < text.length || wasCut;
  const pieces: string[] = [quote && !cutBefore ? '"' : ''];
  const shown: TextMark[] = [];
  let length = pieces[0]?.length ?? 0;
  const add = (from: number, to: number): void => {
    const piece = text.slice(from, to);
    const written = quote ? quoteJson(piece).slice(1, -1) : piece;
    pieces.push(written);
    length += written.length;
  };
  let at = start;
  for (const mark of marks) {
    if (mark.start < at || mark.end > end) continue;
    add(at, mark.start);
    const begun = length;
    add(mark.start, mark.end);
    shown.push({ start: begun, end: length });
    at = mark.end;
  }
  add(at, end);
  if (quote && !cutAfter) pieces.push('"');
  return { text: pieces.join(''), marks: shown, cutBefore, cutAfter };
}

/** Not between the halves of a pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}
