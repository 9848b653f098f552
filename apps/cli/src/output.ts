import { createInterface } from 'node:readline/promises';
import { InspectorError } from '@checkpoint-inspector/core';
import { maskedJson, paint, printable, reveal, type Style } from './table.ts';
import { terminalOf, type Terminal } from './terminal.ts';

export { masked, maskedAt, maskWith, printable } from './table.ts';
export { ids, table, whole } from './table.ts';

/** Where a command writes; tests pass their own. */
export interface Output {
  readonly json: boolean;
  /** Each item of a list in a line of its own; then `json` is true as well. */
  readonly jsonLines?: boolean;
  /** Absent: it goes to no terminal, so nothing is cut, left out or coloured. */
  readonly terminal?: Terminal;
  line(text: string): void;
  note(text: string): void;
}

/** What a command line asks for, before it is parsed: what it says wrong is told in that form too. */
export function createOutput(args: readonly string[]): Output {
  reveal(args.includes('--reveal'));
  const jsonLines = args.includes('--jsonl');
  return {
    json: jsonLines || args.includes('--json'),
    jsonLines,
    terminal: terminalOf(process.stdout, process.env),
    line: (text) => process.stdout.write(`${text}\n`),
    note: (text) => process.stderr.write(`${text}\n`),
  };
}

/**
 * One object as JSON with `--json`, its items with `--jsonl`, else lines for people. What a list says beside its items,
 * such as a cursor or a store that failed, is a note with `--jsonl`.
 */
export function print(output: Output, value: object, lines: () => readonly string[]): void {
  const list = output.jsonLines ? listIn(value) : undefined;
  if (list) {
    for (const item of list.items) output.line(JSON.stringify(item));
    if (Object.keys(list.page).length > 0) output.note(JSON.stringify({ page: list.page }));
    return;
  }
  if (output.json) {
    output.line(JSON.stringify(value));
    return;
  }
  for (const line of lines()) output.line(line);
}

function listIn(value: object): { items: readonly unknown[]; page: object } | undefined {
  if (!('items' in value)) return undefined;
  const { items, ...page } = value;
  return Array.isArray(items) ? { items, page } : undefined;
}

/** A question on the terminal. @throws InspectorError invalid_input unless the answer is yes */
export async function ask(question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new InspectorError('invalid_input', 'Nothing was changed: this needs your confirmation.', {
      remedy: 'Add --yes to apply the plan above, or --dry-run to only preview it.',
    });
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(question);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new InspectorError('invalid_input', 'Nothing was changed.', { remedy: 'Answer y to apply.' });
}

/** The exit code beside those of the table of errors: nothing went wrong, but a value is not what it should be. */
export const NOT_AS_EXPECTED = 23;

/** A line in a colour, where colours are shown. */
export const coloured = ({ terminal }: Output, style: Style, text: string): string =>
  terminal?.colours ? paint(style, text) : text;

/** @example many(1386) // '1,386 checkpoints' */
export const many = (count: number, word = 'checkpoint'): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

export function size(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}

/** Prints the failure and returns the exit code of the table. */
export function report(output: Output, thrown: unknown): number {
  const error = InspectorError.from(thrown);
  if (output.json) {
    output.note(maskedJson(JSON.stringify(error.toWire())));
    return error.exitCode;
  }
  const isColoured = terminalOf(process.stderr, process.env).colours;
  output.note(`${isColoured ? paint('red', 'error:') : 'error:'} ${printable(error.message)}`);
  const candidates = error.data?.['candidates'];
  if (Array.isArray(candidates)) for (const candidate of candidates) output.note(`  ${printable(String(candidate))}`);
  output.note(`  ${printable(error.remedy)}`);
  return error.exitCode;
}

/** Rows that a terminal shows unless `--limit` says otherwise. In a pipe and with `--json` all rows are shown. */
const ON_A_TERMINAL = 100;

export const LIMIT_OPTION = [
  '--limit <n>',
  'maximum number, or `all`; default: 100 on a terminal, otherwise all',
] as const;

/** @throws InspectorError invalid_input */
export function limitOf({ json, terminal }: Output, given: string | undefined): number {
  if (given === undefined) return !json && terminal?.width !== undefined ? ON_A_TERMINAL : Number.POSITIVE_INFINITY;
  if (given === 'all') return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d*$/.test(given)) return Number(given);
  throw new InspectorError('invalid_input', `--limit must be a positive whole number or "all", not "${given}".`);
}

interface Limited<T> {
  readonly items: readonly T[];
  /** Of all. */
  readonly of: number;
  /** A line that says how many more there are and how to see them; empty when these are all. */
  readonly more: readonly string[];
}

/** @throws InspectorError invalid_input */
export function limited<T>(output: Output, all: readonly T[], given: string | undefined): Limited<T> {
  const items = all.slice(0, limitOf(output, given));
  return { items, of: all.length, more: moreLine(all.length - items.length) };
}

const moreLine = (left: number): string[] =>
  left > 0 ? [`${left.toLocaleString('en')} more: --limit <n>, or --limit all`] : [];
