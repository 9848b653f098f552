import type { ListNode, Node } from './tree.ts';

/** Lists of plain values that are all as long: the rows of a table. */
export function rowsOf(items: readonly Node[]): readonly ListNode[] | undefined {
  const [first] = items;
  if (items.length < 2 || first?.kind !== 'array' || first.size < 2 || first.isVector) return undefined;
  const rows = items.filter((item): item is ListNode => item.kind === 'array' && item.size === first.size);
  return rows.length === items.length && rows.every((row) => row.items.every(isCell)) ? rows : undefined;
}

const isCell = ({ kind }: Node): boolean => kind !== 'array' && kind !== 'object';

/** The first row has names that are all different, above columns that hold other things than such names. */
export function hasHead(rows: readonly ListNode[]): boolean {
  const names = columnsOf(rows);
  if (names.some((name) => name === '' || /^\d/.test(name)) || new Set(names).size < names.length) return false;
  return rows.slice(1).some((row) => row.items.some(({ kind }) => kind !== 'string'));
}

export const columnsOf = ([head]: readonly ListNode[]): readonly string[] =>
  head?.items.map((cell) => (cell.kind === 'string' ? cell.name : '')) ?? [];

const FEWEST = 4;
const BELOW_ONE = /^-?(?:0|0?\.\d+|1(?:\.0+)?)$/;
const FINE = /\.\d{3}/;

/** Numbers between -1 and 1, some below zero, most of them with many decimals: an embedding. */
export function areFigures(items: readonly Node[]): boolean {
  if (items.length < FEWEST) return false;
  let fine = 0;
  let negative = 0;
  for (const item of items) {
    if (item.kind !== 'number' || !BELOW_ONE.test(item.text)) return false;
    fine += Number(FINE.test(item.text));
    negative += Number(item.text.startsWith('-'));
  }
  return fine * 2 > items.length && negative > 0;
}
