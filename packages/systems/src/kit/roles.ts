/** Which column of an unknown table is what, told by its values first and its name second: a proposal that a person reads. */
import { statusOf, timesOf } from './values.ts';
import type { Values } from './description.ts';

/** A column, or a path in documents, with the values of some rows in their order. */
export interface Column {
  /** As a description names it. */
  readonly where: string;
  /** Its last name. */
  readonly name: string;
  readonly values: readonly (string | undefined)[];
}

/** The words that programs use; a name that has one is preferred among columns whose values fit. */
const NAMES = {
  state: /state|data|payload|snapshot|values?|content|checkpoint|body|doc|json|memory/i,
  id: /^_?id$|uuid|key|_id$|Id$/i,
  task: /thread|session|run|task|workflow|conversation|flow|agent|job|execution|trace|chat|case/i,
  time: /time|date|created|saved|written|_at$|At$|^at$|^ts$|when/i,
  step: /step|seq|turn|iteration|number|index|idx|^n$|order|pos/i,
  name: /node|name|method|function|action|type|role|event|step|label|title/i,
  status: /status|state|outcome|phase|result|how/i,
  error: /error|exception|failure/i,
} as const;

const MOSTLY = 0.9;
const SHORT = 80;

const present = ({ values }: Column): readonly string[] => values.filter((value) => value !== undefined);

/** In how many of the values that are there. */
function share(column: Column, test: (value: string) => boolean): number {
  const values = present(column);
  return values.length === 0 ? 0 : values.filter(test).length / values.length;
}

const distinct = (column: Column): number => new Set(present(column)).size;
const isEverywhere = (column: Column): boolean => present(column).length === column.values.length;
const isUnique = (column: Column): boolean => isEverywhere(column) && distinct(column) === column.values.length;
const isTime = (value: string): boolean => timesOf(value, true).createdAt !== undefined;
const isWhole = (value: string): boolean => /^\d{1,9}$/.test(value);
const isShort = (value: string): boolean => value.length <= SHORT && !isContainer(value);

function isContainer(value: string): boolean {
  if (!/^\s*[{[]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

const sizeOf = (column: Column): number => present(column).reduce((sum, { length }) => sum + length, 0);

/** The best of those that fit; a name that says so counts before all else. */
function best(columns: readonly Column[], name: RegExp, weight: (column: Column) => number = () => 0) {
  return columns.toSorted((a, b) => Number(name.test(b.name)) - Number(name.test(a.name)) || weight(b) - weight(a))[0];
}

/**
 * What each column seems to be; `undefined` where no column holds states or none tells the rows of one task.
 * @example rolesOf([{ where: 'blob', name: 'blob', values: ['{"a":1}'] }, { where: 'run', name: 'run', values: ['r1'] }])
 */
export function rolesOf(columns: readonly Column[]): Values | undefined {
  const left = new Set(columns.filter((column) => present(column).length > 0));
  const take = (column: Column | undefined): string | undefined => {
    if (column) left.delete(column);
    return column?.where;
  };
  const those = (test: (column: Column) => boolean): readonly Column[] => [...left].filter(test);
  const states = those((column) => share(column, isContainer) >= MOSTLY);
  const state = take(best(states, NAMES.state, sizeOf));
  const time = take(
    best(
      those((column) => share(column, isTime) >= MOSTLY),
      NAMES.time,
    ),
  );
  const ids = those((column) => isUnique(column) && share(column, isShort) === 1);
  const idColumn = best(ids, NAMES.id);
  const known = new Set(idColumn && present(idColumn));
  const isParent = (column: Column): boolean =>
    column !== idColumn && share(column, (value) => known.has(value)) === 1 && !share(column, isWhole);
  const named = /parent|prev|from|before/i;
  const parent = take(
    best(
      those(
        (column) =>
          isParent(column) || (named.test(column.name) && share(column, (value) => known.has(value)) >= MOSTLY),
      ),
      named,
    ),
  );
  const id = take(idColumn);
  const repeats = (column: Column): boolean =>
    isEverywhere(column) && share(column, isShort) === 1 && distinct(column) < Math.max(2, column.values.length);
  const status = take(
    best(
      those(
        (column) => share(column, (value) => statusOf(value) !== undefined) >= MOSTLY && NAMES.status.test(column.name),
      ),
      NAMES.status,
    ),
  );
  const task = take(
    best(
      those((column) => repeats(column) && (NAMES.task.test(column.name) || runs(column))),
      NAMES.task,
      (column) => Number(runs(column)) - distinct(column) / column.values.length,
    ),
  );
  const step = take(
    best(
      those((column) => share(column, isWhole) === 1 && NAMES.step.test(column.name)),
      NAMES.step,
    ),
  );
  const error = take(
    best(
      those((column) => NAMES.error.test(column.name)),
      NAMES.error,
    ),
  );
  const name = take(
    best(
      those((column) => share(column, isShort) === 1 && NAMES.name.test(column.name)),
      NAMES.name,
      distinct,
    ),
  );
  if (state === undefined || task === undefined) return undefined;
  return Object.fromEntries(
    Object.entries({ task, id, parent, time, step, name, status, error, state }).filter(
      ([, where]) => where !== undefined,
    ),
  ) as unknown as Values;
}

/** Its values come in few runs of equals: rows of one task follow each other more often than not. */
function runs({ values }: Column): boolean {
  const changes = values.filter((value, at) => at > 0 && value !== values[at - 1]).length;
  return (
    changes < values.length / 2 && !values.every((value) => value !== undefined && isWhole(value) && value.length < 3)
  );
}
