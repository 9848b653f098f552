import { isBlank } from './leaf.ts';
import { readTree } from './read.ts';
import { isContainer, leafOf, type ListNode, type Node } from './tree.ts';
import { wordsOf } from './values.ts';

const FIELD = /^\s*([\p{L}_][\p{L}\p{N}_ .-]{0,40}):\s+(\S.*)$/u;

/** Between the cells of a row, the outer ones of Markdown left out. */
const SIGNS = ['|', ';', '\t', ','];
const FEWEST_COLUMNS = 2;
const RULE = /^[\s|:-]+$/;

/** Of a table with a head, a line for each row that names its columns; the lines as they are where there is none. */
function rowsNamed(lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const head = headAt(lines, at);
    if (head === undefined) {
      found.push(lines[at] ?? '');
      continue;
    }
    let row = at + 1;
    for (; row < lines.length; row++) {
      const cells = cellsOf(lines[row] ?? '', head.sign);
      if (cells.length !== head.cells.length) break;
      if (RULE.test(lines[row] ?? '')) continue;
      found.push(cells.flatMap((cell, nth) => (cell === '' ? [] : [`${head.cells[nth]}: ${cell}`])).join('; '));
    }
    at = row - 1;
  }
  return found;
}

/** The rows of a table in JSON whose columns have names, as lines; the line itself where there is none. */
function rowsInJson(line: string): readonly string[] {
  if (!line.includes('[[') || line.length > MOST_JSON) return [line];
  try {
    const rows = rowsIn(readTree(line.slice(line.search(/[{[]/))), LEVELS);
    return rows.length === 0 ? [line] : rows;
  } catch {
    return [line];
  }
}

/** @param levels in which a table may be */
function rowsIn(node: Node, levels: number): readonly string[] {
  if (levels === 0 || !isContainer(node)) return NONE;
  const inside = node.kind === 'array' ? node.items : node.members.map(({ value }) => value);
  const rows = inside.flatMap((row) => (row.kind === 'array' && row.columns?.length ? [lineOf(row, row.columns)] : []));
  return rows.length > 0 ? rows : inside.flatMap((one) => rowsIn(one, levels - 1));
}

const lineOf = ({ items }: ListNode, columns: readonly string[]): string =>
  items.flatMap((cell, at) => (isBlank(leafOf(cell)) ? [] : [`${columns[at]}: ${leafOf(cell)?.value}`])).join('; ');

const MOST_JSON = 40_000;
const LEVELS = 3;
const NONE: readonly string[] = [];

interface Head {
  readonly sign: string;
  readonly cells: readonly string[];
}

/** Names without figures, above a row with as many cells. */
function headAt(lines: readonly string[], at: number): Head | undefined {
  const line = lines[at] ?? '';
  const sign = SIGNS.find((one) => line.includes(one));
  if (sign === undefined || line.length > MOST_HEAD) return undefined;
  const cells = cellsOf(line, sign);
  if (cells.length < FEWEST_COLUMNS || new Set(cells).size < cells.length) return undefined;
  // Commas are in sentences too.
  if (!cells.every((cell) => (sign === ',' ? WORD : NAME).test(cell))) return undefined;
  const next = lines[at + 1] ?? '';
  const below = RULE.test(next) ? (lines[at + 2] ?? '') : next;
  const row = cellsOf(below, sign);
  if (row.length !== cells.length || !/\d/.test(below)) return undefined;
  return cells.some((cell, nth) => firstWord(cell) === firstWord(row[nth])) ? undefined : { sign, cells };
}

const MOST_HEAD = 400;
const WORD = /^\p{L}[\p{L}\p{N}_.-]{0,39}$/u;
const NAME = /^\p{L}[\p{L}\p{N}_ .()/-]{0,39}$/u;

/** Rows such as `price 7` and `price 9` share it: the first of them is not a head. */
const firstWord = (cell = ''): string => cell.split(' ', 1)[0] ?? '';

function cellsOf(line: string, sign: string): readonly string[] {
  const text = sign === '|' ? line.trim().replace(/^\||\|$/g, '') : line;
  return text.split(sign).map((cell) => cell.trim());
}

/** Lines of a text; a record whose fields have a line each, the first of them the name of an entry, is one line. */
export function linesOf(text: string, isName: (words: readonly string[]) => boolean): readonly string[] {
  const lines: string[] = [];
  let record: { readonly keys: Set<string>; readonly fields: string[] } | undefined;
  const close = (): void => {
    if (record) lines.push(record.fields.join('; '));
    record = undefined;
  };
  for (const line of rowsNamed(text.split('\n').flatMap(rowsInJson))) {
    const [, key = '', value = ''] = FIELD.exec(line) ?? [];
    // An entry may have several names; a field that comes again is that of the next one.
    if (record && key !== '' && !record.keys.has(key) && !isName(wordsOf(key))) {
      record.keys.add(key);
      record.fields.push(line.trim());
    } else if (key !== '' && isName(wordsOf(value))) {
      close();
      record = { keys: new Set([key]), fields: [line] };
    } else {
      close();
      lines.push(line);
    }
  }
  close();
  return lines;
}
