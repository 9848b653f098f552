/** Commands that are printed to be copied. */
import { shellWord } from '@checkpoint-inspector/core';

export const NAME = 'checkpoint-inspector';

/** A command with these words, quoted for a shell. It opens the same stores as the command that prints it. */
export type CommandLine = (...words: readonly string[]) => string;

interface Opened {
  readonly store?: readonly string[];
  readonly home?: boolean;
  readonly keyFile?: string;
}

/** @example commandLine({ store: ['my runs.db'] })('undo', 'r-1') // "checkpoint-inspector undo r-1 -s 'my runs.db'" */
export const commandLine =
  ({ store = [], home = false, keyFile }: Opened = {}): CommandLine =>
  (...words) =>
    [
      NAME,
      ...words,
      ...store.flatMap((one) => ['-s', one]),
      ...(home ? ['--home'] : []),
      ...(keyFile === undefined ? [] : ['--key-file', keyFile]),
    ]
      .map(shellWord)
      .join(' ');
