import { createInterface } from 'node:readline/promises';
import { InspectorError, maskSecrets } from '@checkpoint-inspector/core';

/** Where a command writes; tests pass their own. */
export interface Output {
  readonly json: boolean;
  line(text: string): void;
  note(text: string): void;
}

/** `--reveal`: secrets of known shapes are printed as they are stored. One choice for the whole run. */
let revealed = false;

export function createOutput(json: boolean, options: { readonly reveal?: boolean } = {}): Output {
  revealed = options.reveal ?? false;
  return {
    json,
    line: (text) => process.stdout.write(`${text}\n`),
    note: (text) => process.stderr.write(`${text}\n`),
  };
}

/** One object as JSON with `--json`, else as lines for people. */
export function print(output: Output, value: unknown, lines: () => readonly string[]): void {
  if (output.json) {
    output.line(JSON.stringify(value));
    return;
  }
  for (const line of lines()) output.line(line);
}

/** A question on the terminal. @throws InspectorError invalid_input unless the answer is yes */
export async function ask(question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new InspectorError('invalid_input', 'Nothing was changed: this needs a yes.', {
      remedy: 'Add --yes to apply the plan above, or --dry-run to only see it.',
    });
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(question);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new InspectorError('invalid_input', 'Nothing was changed.', { remedy: 'Answer y to apply.' });
}

/** Columns as wide as their longest cell; the last one is left as it is. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => printable(row[column] ?? '').length)),
  );
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === head.length - 1 ? printable(cell) : printable(cell).padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** Stored text as it may reach a terminal: no control sequences, and secrets masked unless `--reveal`. */
export function printable(text: string): string {
  return masked(text).replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** For what is cut afterwards: half a secret has no shape. */
export const masked = (text: string): string => (revealed ? text : maskSecrets(text));

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
    output.note(JSON.stringify(error.toWire()));
    return error.exitCode;
  }
  output.note(`error: ${printable(error.message)}`);
  const candidates = error.data?.['candidates'];
  if (Array.isArray(candidates)) for (const candidate of candidates) output.note(`  ${printable(String(candidate))}`);
  output.note(`  ${error.remedy}`);
  return error.exitCode;
}
