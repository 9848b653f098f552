import { Command } from 'commander';
import { addAnnotate } from './commands/annotate.ts';
import { addDiff } from './commands/diff.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEdit } from './commands/edit.ts';
import { addExitCodes } from './commands/exit-codes.ts';
import { addExport } from './commands/export.ts';
import { addHistory } from './commands/history.ts';
import { addList } from './commands/list.ts';
import { addMcp } from './commands/mcp.ts';
import { addOpen } from './commands/open.ts';
import { addPrune } from './commands/prune.ts';
import { addReceipts } from './commands/receipts.ts';
import { addRestore } from './commands/restore.ts';
import { addSearch } from './commands/search.ts';
import { addShow } from './commands/show.ts';
import { addStorage } from './commands/storage.ts';
import { addTasks } from './commands/tasks.ts';
import { addTrash } from './commands/trash.ts';
import { addTree } from './commands/tree.ts';
import { addFailures } from './commands/failures.ts';
import { addUndo } from './commands/undo.ts';
import { addVerify } from './commands/verify.ts';
import type { Output } from './output.ts';
import { createVerbs, examplesOf, GROUPS, NAME } from './verbs.ts';

/** In the order of `--help`. */
const VERBS = [
  [addOpen, addMcp],
  [addTasks, addFailures, addList, addShow, addDiff, addHistory, addTree, addSearch],
  [addRestore, addEdit, addPrune, addUndo, addReceipts],
  [addAnnotate, addExport, addVerify, addStorage, addTrash],
  [addDoctor, addExitCodes],
].flat();

/** The whole command line; throws CommanderError on misuse and InspectorError on failure. */
export function createProgram({ version, output }: { version: string; output: Output }): Command {
  const program = new Command(NAME)
    .description('Opens the checkpoints that AI agents write: see what changed, when and by which step, and go back.')
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
