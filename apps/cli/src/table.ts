import { cellWidth, cutEnd, cutMiddle, middleCutter, padCell, printable, paint } from './cell.ts';
import type { Style } from './cell.ts';
import type { Terminal } from './terminal.ts';

export interface Column {
  readonly title: string;
  /** How it gets narrower where the terminal is too narrow: `never` is for what people copy whole. Default `end`. */
  readonly cut?: 'end' | 'middle' | 'never';
  readonly style?: (cell: string) => Style | undefined;
}

type Head = string | Column;

const GAP = 2;
const NARROWEST = 8;

/** A column of ids: shortened in the middle, and still different from each other. */
export const ids = (title: string): Column => ({ title, cut: 'middle' });
/** A column that is never cut. */
export const whole = (title: string): Column => ({ title, cut: 'never' });

/**
 * Columns as wide as their longest cell. On a terminal the widest ones get narrower until the line fits; in a pipe
 * nothing is cut. The last column is not padded.
 */
export function table(head: readonly Head[], rows: readonly (readonly string[])[], terminal?: Terminal): string[] {
  const columns = head.map((one): Column => (typeof one === 'string' ? { title: one } : one));
  const cells = rows.map((row) => columns.map((_, at) => printable(row[at] ?? '')));
  const shown = columns.map((column, at) => columnOf(column, [column.title, ...cells.map((row) => row[at] ?? '')]));
  const widths = fitted(shown, terminal?.width);
  const colours = terminal?.colours ?? false;
  return [columns.map(({ title }) => title), ...cells].map((row, line) =>
    row
      .map((cell, at) => {
        const [column, width] = [columns[at], widths[at] ?? 0];
        const text = cut(column?.cut, cell, width);
        const padded = at === row.length - 1 ? text : padCell(text, width);
        const style = line === 0 ? 'bold' : column?.style?.(cell);
        return colours && style !== undefined ? paint(style, padded) : padded;
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

interface Measured {
  readonly width: number;
  readonly least: number;
}

function columnOf({ cut: how = 'end', title }: Column, cells: readonly string[]): Measured {
  const width = cells.reduce((widest, cell) => Math.max(widest, cellWidth(cell)), 0);
  if (how === 'never') return { width, least: width };
  const least = Math.min(width, Math.max(NARROWEST, cellWidth(title)));
  return { width, least: how === 'middle' ? stillDifferent(cells, least, width) : least };
}

/** The narrowest width at which no two cells look the same. */
function stillDifferent(cells: readonly string[], least: number, most: number): number {
  const cutters = [...new Set(cells)].map(middleCutter);
  const differ = (width: number): boolean => new Set(cutters.map((cutTo) => cutTo(width))).size === cutters.length;
  // A wider cell shows more of both ends: once they differ, they differ at every greater width.
  let [low, high] = [least, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (differ(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Takes from the widest column that can give, one cell after the other. */
function fitted(columns: readonly Measured[], width: number | undefined): number[] {
  const widths = columns.map((column) => column.width);
  if (width === undefined) return widths;
  const gaps = GAP * (columns.length - 1);
  for (let over = sum(widths) + gaps - width; over > 0; over--) {
    const widest = columns.reduce((best, { least }, at) => {
      const gives = (widths[at] ?? 0) > least;
      return gives && (best === -1 || (widths[at] ?? 0) > (widths[best] ?? 0)) ? at : best;
    }, -1);
    if (widest === -1) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function cut(how: Column['cut'], cell: string, width: number): string {
  if (how === 'never') return cell;
  return how === 'middle' ? cutMiddle(cell, width) : cutEnd(cell, width);
}
