import { CommanderError, Command } from 'commander';
import { InspectorError } from '@checkpoint-inspector/core';
import { createOutput, report, type Output } from './output.ts';
import { assertFirstWord, withOpen } from './target-words.ts';
import { addAnnotate } from './commands/annotate.ts';
import { addCopy } from './commands/copy.ts';
import { addDiff } from './commands/diff.ts';
import { addDoctor, addExitCodes } from './commands/doctor.ts';
import { addEdit } from './commands/edit.ts';
import { addExport } from './commands/export.ts';
import { addGrowth } from './commands/growth.ts';
import { addHistory } from './commands/history.ts';
import { addMcp, addOpen } from './commands/open.ts';
import { addPrune } from './commands/prune.ts';
import { addReceipts, addUndo } from './commands/receipts.ts';
import { addRestore } from './commands/change.ts';
import { addReclaim } from './commands/reclaim.ts';
import { addSearch } from './commands/search.ts';
import { addShow } from './commands/show.ts';
import { addStorage, addTrash } from './commands/storage.ts';
import { addList, addTasks, addTree } from './commands/tasks.ts';
import { addDiagnose } from './commands/diagnose.ts';
import { addFailures } from './commands/failures.ts';
import { addVerify } from './commands/verify.ts';
import { createVerbs, examplesOf, GROUPS, NAME } from './verbs.ts';

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

/** In the order of `--help`. */
const VERBS = [
  [addOpen, addMcp],
  [addTasks, addFailures, addDiagnose, addList, addShow, addDiff, addHistory, addTree, addSearch],
  [addRestore, addEdit, addPrune, addUndo, addReceipts],
  [addAnnotate, addExport, addCopy, addVerify, addStorage, addGrowth, addTrash, addReclaim],
  [addDoctor, addExitCodes],
].flat();

/** The whole command line; throws CommanderError on misuse and InspectorError on failure. */
export function createProgram({ version, output }: { version: string; output: Output }): Command {
  const program = new Command(NAME)
    .description('Inspect the checkpoints that AI agents write: see what changed, when and in which step, and go back.')
    .version(version)
    .exitOverride()
    .commandsGroup(GROUPS.help)
    .configureOutput({ writeErr: () => undefined })
    .addHelpText('after', examplesOf(['./checkpoints.sqlite', 'tasks', 'diff report/latest~1 report/latest']))
    .addHelpText('after', `\nEach command has its own --help. Exit codes: ${NAME} help exit-codes`);
  const verbs = createVerbs(program, { output, version });
  for (const add of VERBS) add(verbs);
  return program;
}
