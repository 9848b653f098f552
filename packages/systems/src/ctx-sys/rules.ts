/** The rules of ctx-sys: what resumes, what a save evicts, which save followed which, how ids are made. */
import { randomUUID } from 'node:crypto';
import { inSaveOrder, type Row } from './rows.ts';

/** Checkpoints that ctx-sys keeps per session. */
export const KEPT = 10;

/** The list's own rule is the step alone; among equal steps SQLite's index gives the oldest row first. */
export function listedFirst(rows: readonly Row[]): Row | undefined {
  return inSaveOrder(rows.filter(({ step }) => step === rows[0]?.step))[0];
}

export function newestSave(rows: readonly Row[]): Row | undefined {
  return inSaveOrder(rows).at(-1);
}

/** Rows that ctx-sys takes before this one. `rows` in resume order. */
export function outranking(rows: readonly Row[], target: Row): readonly Row[] {
  return rows.slice(
    0,
    rows.findIndex((row) => row.rowid === target.rowid),
  );
}

/** What the next save evicts, if it takes precedence over all `rows` (resume order): of equal step and time the older row stays. */
export function evictedByNextSave(rows: readonly Row[], kept = KEPT): readonly Row[] {
  const byRetention = rows.toSorted((a, b) => {
    const tie = a.step === b.step && a.createdAtText === b.createdAtText;
    return tie ? Number(a.rowid - b.rowid) : rows.indexOf(a) - rows.indexOf(b);
  });
  return byRetention.slice(kept - 1);
}

/** The greatest step of a session; `undefined` where a step is not a whole number. */
export function greatestStep(rows: readonly Row[]): number | undefined {
  const steps = rows.flatMap(({ step }) => step ?? []);
  return steps.length < rows.length ? undefined : steps.reduce((most, step) => Math.max(most, step), 0);
}

export const FINAL = 'Execution complete';

/**
 * For each row the one that it continued from, or `undefined`. Nothing is recorded: each follows the save before it; where
 * the step falls back, an older checkpoint was resumed, and the newest save that fits the step is taken.
 * @param saved rows in save order
 */
export function inferredParents(saved: readonly Row[]): ReadonlyMap<bigint, Row | undefined> {
  return new Map(saved.map((row, at) => [row.rowid, parentOf(saved, row, at)]));
}

function parentOf(saved: readonly Row[], row: Row, at: number): Row | undefined {
  const before = saved[at - 1];
  if (before?.step === undefined || row.step === undefined || row.step >= before.step) return before;
  // An automatic checkpoint is made after its step: it continued from a lower one.
  const from = row.trigger === 'auto' && row.description !== FINAL ? row.step - 1 : row.step;
  return saved.slice(0, at).findLast(({ step }) => step !== undefined && step <= from);
}

const ARCHIVE = /^(.*)@archived-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z(?:-\d+)?$/s;

/** Session name for rows that a restore moves aside. */
export function archiveName(session: string, now: Date, isTaken: (name: string) => boolean): string {
  const base = `${session}@archived-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!isTaken(name)) return name;
  }
}

/** The session that an archive was made from; `undefined` for other sessions. */
export function archivedFrom(session: string): string | undefined {
  return ARCHIVE.exec(session)?.[1];
}

/** An id as ctx-sys makes them. */
export function newCheckpointId(): string {
  return `ckpt_${randomUUID()}`;
}
