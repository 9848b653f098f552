/** A value of a list, as far as it matters whether that is a table. */
interface Item {
  readonly kind: string;
  readonly text?: string;
  readonly name?: string;
  readonly items?: readonly Item[];
  readonly isVector?: boolean;
}

/** Its entries are lists of plain values that are all as long: the rows of a table. */
export function isTable(items: readonly Item[]): boolean {
  const columns = items[0]?.items?.length ?? 0;
  if (items.length < 2 || columns < 2 || items[0]?.isVector === true) return false;
  return items.every(({ items: cells }) => cells?.length === columns && cells.every(isCell));
}

const isCell = ({ kind }: Item): boolean => kind !== 'array' && kind !== 'object';

/** The first row has names that are all different, above columns that hold other things than such names. */
export function hasHead(rows: readonly Item[]): boolean {
  const names = columnsOf(rows);
  if (!areNames(names) || names.some((name) => /^\d/.test(name))) return false;
  return rows.slice(1).some(({ items: cells }) => cells?.some(({ kind }) => kind !== 'string'));
}

/** All of them different. */
export const areNames = (names: readonly string[]): boolean =>
  !names.includes('') && new Set(names).size === names.length;

export const columnsOf = ([head]: readonly Item[]): readonly string[] =>
  head?.items?.map(({ kind, name = '' }) => (kind === 'string' ? name : '')) ?? [];

const FEWEST = 4;
const BELOW_ONE = /^-?(?:0|0?\.\d+|1(?:\.0+)?)$/;
const FINE = /\.\d{3}/;

/** Numbers between -1 and 1, some below zero, most of them with many decimals: an embedding. */
export function areFigures(items: readonly Item[]): boolean {
  if (items.length < FEWEST) return false;
  let fine = 0;
  let negative = 0;
  for (const item of items) {
    const { kind, text = '' } = item;
    if (kind !== 'number' || !BELOW_ONE.test(text)) return false;
    fine += Number(FINE.test(text));
    negative += Number(text.startsWith('-'));
  }
  return fine * 2 > items.length && negative > 0;
}
