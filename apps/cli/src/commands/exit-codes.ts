import { ERROR_CODES } from '@checkpoint-inspector/core';
import { print, table } from '../output.ts';
import type { Output } from '../output.ts';
import type { Verbs } from '../verbs.ts';

const ROWS = Object.entries(ERROR_CODES)
  .map(([code, { exit, remedy }]) => ({ exit, code, remedy }))
  .toSorted((a, b) => a.exit - b.exit);

export function addExitCodes(verbs: Verbs): void {
  verbs
    .add('exit-codes', {
      group: 'help',
      about: 'list the exit codes and what to do about each',
      examples: ['exit-codes', 'exit-codes --json', 'help exit-codes'],
    })
    .option('--json', 'print JSON')
    .addHelpText('after', () => `\n${lines().join('\n')}`)
    .action(() => print(verbs.output, { items: ROWS }, () => lines(verbs.output.terminal)));
}

/** The table of errors, which the API and the documentation use too. */
const lines = (terminal?: Output['terminal']): string[] => [
  ...table(
    ['EXIT', 'CODE', 'WHAT TO DO'],
    [['0', '', 'All went well.'], ...ROWS.map(({ exit, code, remedy }) => [String(exit), code, remedy])],
    terminal,
  ),
];
