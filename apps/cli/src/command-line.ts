/** Commands that are printed to be copied. */
import { isAddress, shellWord, withoutPassword } from '@checkpoint-inspector/core';

export const NAME = 'checkpoint-inspector';

/** A command with these words, quoted for a shell. It opens the same stores as the command that prints it. */
export type CommandLine = (...words: readonly string[]) => string;

interface Opened {
  readonly store?: readonly string[];
  readonly home?: boolean;
  readonly keyFile?: string;
  readonly system?: string;
}

/** @example commandLine({ store: ['my runs.db'] })('undo', 'r-1') // "checkpoint-inspector undo r-1 -s 'my runs.db'" */
export const commandLine =
  ({ store = [], home = false, keyFile, system }: Opened = {}): CommandLine =>
  (...words) =>
    [
      NAME,
      ...words,
      ...store.flatMap((one) => ['-s', storeWord(one)]),
      ...(home ? ['--home'] : []),
      ...(keyFile === undefined ? [] : ['--key-file', keyFile]),
      ...(system === undefined ? [] : ['--system', system]),
    ]
      .map(shellWord)
      .join(' ');

/** An address is named by the variable that has it, else without its password: that is never in a printed line. */
function storeWord(text: string): string {
  const shown = withoutPassword(text);
  if (!isAddress(text) || shown === text) return text;
  const [name] = Object.entries(process.env).find(([, value]) => value === text) ?? [];
  return name === undefined ? shown : `env:${name}`;
}
