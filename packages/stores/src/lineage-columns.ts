/** Trees as columns that a database writes as JSON: what SQLite and PostgreSQL have in common. */
import type { LineagePart, LineageRow } from '@checkpoint-inspector/core';

/** By its first letter; most have the first one. What somebody else has written there counts as unknown. */
export const STATUS_LETTER = `CASE WHEN status = 'completed' THEN 'c'
  WHEN status IN ('running', 'failed', 'interrupted', 'pending') THEN substr(status, 1, 1) ELSE 'u' END`;

/** Rows that don't say themselves how they ended: an error that a step wrote tells it. */
export const OPEN_ENDED = "coalesce(status, '') NOT IN ('completed', 'failed', 'interrupted')";

/** Whole numbers and null: JSON would round others. */
export const isWhole = (steps: string): boolean => /^[-\d,nul[\]]*$/.test(steps);

/** JSON lists without spaces, of rows of the root that no framework has written and whose parents are in their task. */
interface Columns {
  readonly count: number;
  readonly ids: string;
  readonly parents: string;
  readonly statuses: string;
  readonly times: string;
  readonly steps: string;
  readonly descriptions: string;
  readonly latest?: number | undefined;
}

/** @param before id of the row before as JSON; `null` where that is of another namespace, or none */
export function partOf(
  { parents, latest, ...columns }: Columns,
  before: string,
): { readonly part: LineagePart; readonly last: string } {
  const chained = lastOfChain(columns.ids, parents, before);
  const part = { ...columns, ...(chained === undefined && { parents }), ...(latest !== undefined && { latest }) };
  return { part, last: chained ?? lastOf(columns.ids) };
}

/** What the next row has before it. */
export const idBefore = (row: LineageRow | undefined): string =>
  row === undefined || row.namespace !== undefined ? 'null' : JSON.stringify(row.id);

/** The last id where each row's parent is the row before: then the list of parents is that of the ids, one further. */
function lastOfChain(ids: string, parents: string, before: string): string | undefined {
  const [first, own] = [parents.slice(1, before.length + 1), ids.slice(1, -1)];
  const others = parents.slice(before.length + 2, -1);
  if (first !== before) return undefined;
  if (others === '') return parents.length === before.length + 2 ? own : undefined;
  return own.startsWith(`${others},`) ? own.slice(others.length + 1) : undefined;
}

const lastOf = (ids: string): string => JSON.stringify((JSON.parse(ids) as string[]).at(-1));
