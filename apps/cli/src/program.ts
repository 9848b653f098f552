import { CommanderError, Command } from 'commander';
import { InspectorError } from '@checkpoint-inspector/core';
import { createOutput, report, type Output } from './output.ts';
import { assertFirstWord, withOpen } from './target-words.ts';
import { loadVerbs } from './commands/index.ts';
import { createVerbs, examplesOf, GROUPS, NAME } from './verbs.ts';

/** Runs one command line to its end, and answers the exit code; a failure is printed. */
export async function runCommand(args: readonly string[], version: string): Promise<number> {
  const output = createOutput(args);
  try {
    const program = await createProgram({ version, output }, args);
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
  return report(output, new InspectorError('invalid_input', message, { remedy: `See --help.${meantBy(thrown)}` }));
}

function meantBy({ code, message }: CommanderError): string {
  if (code === 'commander.excessArguments') return ' If it is a store, put -s before it.';
  return code === 'commander.unknownOption' && !message.includes('Did you mean')
    ? ' To pass a value that starts with a dash, put -- before it.'
    : '';
}

/**
 * The command line; throws CommanderError on misuse and InspectorError on failure.
 * @param args what it will be given: of a verb that they begin with, no other is loaded. Default: all are.
 */
export async function createProgram(
  { version, output }: { version: string; output: Output },
  args: readonly string[] = [],
): Promise<Command> {
  const program = new Command(NAME)
    .description('Inspect the checkpoints that AI agents write: see what changed, when and in which step, and go back.')
    .version(version)
    .exitOverride()
    .commandsGroup(GROUPS.help)
    .configureOutput({ writeErr: () => undefined })
    .addHelpText('after', examplesOf(['--demo', './checkpoints.sqlite', 'tasks', 'diff report/latest~1 report/latest']))
    .addHelpText('after', `\nEach command has its own --help. Exit codes: ${NAME} help exit-codes`);
  const verbs = createVerbs(program, {
    output,
    version,
    programFor: (words) => createProgram({ version, output }, words),
  });
  for (const add of await loadVerbs(args)) add(verbs);
  return program;
}
