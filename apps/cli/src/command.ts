import { CommanderError } from 'commander';
import { InspectorError } from '@checkpoint-inspector/core';
import { createOutput, report, type Output } from './output.ts';
import { createProgram } from './program.ts';
import { assertFirstWord, withOpen } from './target-words.ts';

/** Runs one command line to its end, and answers the exit code; a failure is printed. */
export async function runCommand(args: readonly string[], version: string): Promise<number> {
  const output = createOutput(args.includes('--json'), { reveal: args.includes('--reveal') });
  const program = createProgram({ version, output });
  try {
    assertFirstWord(program, args);
    await program.parseAsync(withOpen(program, args), { from: 'user' });
    return 0;
  } catch (thrown) {
    return failed(output, thrown);
  }
}

function failed(output: Output, thrown: unknown): number {
  if (!(thrown instanceof CommanderError)) return report(output, thrown);
  if (thrown.exitCode === 0) return 0; // --help and --version
  // A suggestion comes in a line of its own.
  const message = thrown.message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
  return report(output, new InspectorError('invalid_input', message, { remedy: 'See --help.' }));
}
