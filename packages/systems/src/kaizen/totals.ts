import type { Row } from './files.ts';
import { isEncrypted } from './names.ts';

/** Rows, and how many of their times have no UTC offset. */
export interface Counted {
  readonly all: number;
  readonly naive: number;
}

/** What the rules ask of a task's rows as a whole, so that one row more or less needs no look at the others. */
export interface Totals {
  readonly readable: Counted;
  /** What Kaizen itself lists. */
  readonly listed: Counted;
  /** Rows that can't be read though their time is known: the order of readable ones may depend on them. */
  readonly timedUnreadable: number;
}

/** What Kaizen itself lists, and so resumes from and removes: encrypted files never. */
export function isListed({ readable, file }: Row): boolean {
  return readable && !isEncrypted(file.variant);
}

export function totalsOf(rows: readonly Row[]): Totals {
  let timedUnreadable = 0;
  const readable = { all: 0, naive: 0 };
  const listed = { all: 0, naive: 0 };
  for (const row of rows) {
    if (!row.readable && row.file.facts?.time) timedUnreadable++;
    if (row.readable) count(readable, row);
    if (isListed(row)) count(listed, row);
  }
  return { readable, listed, timedUnreadable };
}

/** Of more rows than one: `sign` -1 takes the others' away. */
export function addTotals(totals: Totals, other: Totals, sign: 1 | -1 = 1): Totals {
  const sum = (a: Counted, b: Counted): Counted => ({ all: a.all + sign * b.all, naive: a.naive + sign * b.naive });
  return {
    readable: sum(totals.readable, other.readable),
    listed: sum(totals.listed, other.listed),
    timedUnreadable: totals.timedUnreadable + sign * other.timedUnreadable,
  };
}

/** True where Python would raise a TypeError: it does not compare times with and without an offset. */
export function isMixed({ all, naive }: Counted): boolean {
  return naive > 0 && naive < all;
}

function count(counted: { all: number; naive: number }, { file }: Row): void {
  counted.all++;
  if (file.facts?.time?.naive) counted.naive++;
}
