import { InspectorError, refIn, type CheckpointRef } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import type { Annotation, Annotations, StorePlace } from './types.ts';

const LABEL_LENGTH = 60;
const LABELS_PER_CHECKPOINT = 50;
const NOTE_LENGTH = 20_000;

interface Stored {
  readonly ref: string;
  readonly label: string | null;
  readonly note: string | null;
  readonly written_at: string | null;
}

const PLACES = 'store IN (SELECT value FROM json_each(:places))';
const ALL = `SELECT ref, label, NULL AS note, NULL AS written_at FROM labels WHERE ${PLACES}
  UNION SELECT ref, NULL, note, written_at FROM notes WHERE ${PLACES}`;

/** Labels and notes are the user's own words; they are kept beside a store, never in it. */
export function openAnnotations(db: SqliteDatabase): Annotations {
  const select = (place: StorePlace, narrow: string, value: string): readonly Annotation[] => {
    const sql = `SELECT * FROM (${ALL}) WHERE ${narrow} ORDER BY ref, label, written_at`;
    return gathered(db.prepare<Stored>(sql).all({ places: JSON.stringify(placesOf(place)), value }));
  };
  const of = (place: StorePlace, ref: CheckpointRef): Annotation =>
    select(place, 'ref = :value', refText(ref))[0] ?? { ref: exactRef(ref), labels: [] };
  return {
    // The task is first in a ref's text, so the beginning of the text names it.
    ofTask: (place, task) => select(place, 'substr(ref, 1, length(:value)) = :value', `${taskText(task)},`),
    ofPlace: (place) => select(place, ':value = :value', ''),
    hasLabels: (place) => {
      const any = db.prepare(`SELECT 1 FROM labels WHERE ${PLACES} LIMIT 1`);
      return any.get({ places: JSON.stringify(placesOf(place)) }) !== undefined;
    },
    of,
    addLabel: (place, ref, label) =>
      db.transaction(() => {
        checkLabel(label, of(place, ref).labels);
        const insert = db.prepare('INSERT OR IGNORE INTO labels (store, ref, label) VALUES (?, ?, ?)');
        insert.run(placesOf(place)[0], refText(ref), label);
        return of(place, ref);
      }),
    removeLabel: (place, ref, label) =>
      db.transaction(() => {
        const remove = db.prepare('DELETE FROM labels WHERE store = ? AND ref = ? AND label = ?');
        for (const one of placesOf(place)) remove.run(one, refText(ref), label);
        return of(place, ref);
      }),
    setNote: (place, ref, note) =>
      db.transaction(() => {
        checkNote(note);
        const remove = db.prepare('DELETE FROM notes WHERE store = ? AND ref = ?');
        for (const one of placesOf(place)) remove.run(one, refText(ref));
        if (note.trim() === '') return of(place, ref);
        const insert = db.prepare('INSERT INTO notes (store, ref, note, written_at) VALUES (?, ?, ?, ?)');
        insert.run(placesOf(place)[0], refText(ref), note, new Date().toISOString());
        return of(place, ref);
      }),
  };
}

export function placesOf(place: StorePlace): readonly [string, ...string[]] {
  return typeof place === 'string' ? [place] : place;
}

/** Rows of one ref come together, the newest note last. */
function gathered(rows: readonly Stored[]): readonly Annotation[] {
  const found = new Map<string, Annotation>();
  for (const row of rows) {
    const before = found.get(row.ref) ?? { ref: JSON.parse(row.ref) as CheckpointRef, labels: [] };
    found.set(row.ref, {
      ...before,
      labels: row.label === null ? before.labels : [...before.labels, row.label],
      ...(row.note === null || row.written_at === null ? {} : { note: row.note, writtenAt: row.written_at }),
    });
  }
  return [...found.values()];
}

const taskText = (task: string): string => `{"task":${JSON.stringify(task)}`;

/** One spelling per ref, so that it is found again. */
export const refText = (ref: CheckpointRef): string => JSON.stringify(exactRef(ref));

const exactRef = (ref: CheckpointRef): CheckpointRef => refIn(ref.task, ref);

/** @throws InspectorError invalid_input */
export function assertLabel(label: string): void {
  if (label.trim() !== label || label === '' || label.length > LABEL_LENGTH || /\p{Cc}/u.test(label)) {
    throw new InspectorError('invalid_input', `A label must have 1 to ${LABEL_LENGTH} characters, on one line.`);
  }
}

function checkLabel(label: string, known: readonly string[]): void {
  assertLabel(label);
  if (known.length < LABELS_PER_CHECKPOINT || known.includes(label)) return;
  throw new InspectorError('invalid_input', `A checkpoint can have at most ${LABELS_PER_CHECKPOINT} labels.`);
}

function checkNote(note: string): void {
  if (note.length <= NOTE_LENGTH) return;
  throw new InspectorError(
    'invalid_input',
    `A note can have at most ${NOTE_LENGTH} characters, this one ${note.length}.`,
  );
}
