import { InspectorError } from '@checkpoint-inspector/core';

/** Where a command writes; tests pass their own. */
export interface Output {
  readonly json: boolean;
  line(text: string): void;
  note(text: string): void;
}

export function createOutput(json: boolean): Output {
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

/** Stored text never reaches the terminal as control sequences. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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
