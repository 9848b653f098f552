import { Command } from 'commander';
import { remove, restore, undo } from './commands/change.ts';
import type { ChangeOptions } from './commands/change.ts';
import { diff } from './commands/diff.ts';
import type { DiffOptions } from './commands/diff.ts';
import { doctor } from './commands/doctor.ts';
import type { KeyOptions } from './key.ts';
import { list } from './commands/list.ts';
import type { ListOptions } from './commands/list.ts';
import { mcp } from './commands/mcp.ts';
import type { McpOptions } from './commands/mcp.ts';
import { open } from './commands/open.ts';
import type { OpenOptions } from './commands/open.ts';
import { show } from './commands/show.ts';
import type { ShowOptions } from './commands/show.ts';
import { tasks } from './commands/tasks.ts';
import { tree } from './commands/tree.ts';
import type { Output } from './output.ts';
import { openSession } from './session.ts';
import type { Run } from './session.ts';

interface Common extends KeyOptions {
  readonly store?: readonly string[];
}

const KEY_FILE = 'a file with the key of encrypted stores (or CHECKPOINT_INSPECTOR_KEY)';
const ASK_KEY = 'ask for the key of encrypted stores';

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** The whole command line; throws CommanderError on misuse and InspectorError on failure. */
export function createProgram({ version, output }: { version: string; output: Output }): Command {
  const program = new Command('checkpoint-inspector')
    .description('Opens the checkpoints that AI agents write: see what changed, when and by which step, and go back.')
    .version(version)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });

  addOpen(program, version, output);
  addMcp(program, version);

  /** A scripting command: opens the stores, runs, and lets them go. */
  const command = (usage: string, description: string): Command =>
    program
      .command(usage)
      .description(description)
      .option('-s, --store <path>', 'a store to look in, repeatable; default: the stores below this folder', collect)
      .option('--key-file <path>', KEY_FILE)
      .option('--ask-key', ASK_KEY)
      .option('--json', 'print the same objects as the API');
  const withStores = async (
    options: Common & { readonly readOnly: boolean },
    work: (run: Run) => Promise<void>,
  ): Promise<void> => {
    const session = await openSession(options.store ?? [], options);
    try {
      await work({ session, output });
    } finally {
      await session.close();
    }
  };
  const reading = (options: Common, work: (run: Run) => Promise<void>) =>
    withStores({ ...options, readOnly: true }, work);
  const changing = (options: Common & ChangeOptions, work: (run: Run) => Promise<void>) =>
    withStores({ ...options, readOnly: options.dryRun ?? false }, work);
  const narrowed = (target: Command): Command =>
    target.option('--task <id>', 'only in this task').option('--ns <namespace>', 'only in this namespace');
  const planned = (target: Command): Command =>
    target.option('-y, --yes', 'apply without asking').option('--dry-run', 'show the plan and change nothing');

  command('tasks', 'list every task, failed first').action((options: Common) => reading(options, tasks));
  command('list <task>', 'list the checkpoints of a task, the latest first')
    .option('--limit <n>', 'rows per page, 1 to 1000')
    .option('--cursor <cursor>', 'the page after')
    .action((task: string, options: Common & ListOptions) => reading(options, (run) => list(run, task, options)));
  narrowed(command('show <checkpoint>', 'print the state as it is stored'))
    .option('--meta', 'print all about it instead')
    .option('--raw', 'print the stored bytes instead')
    .action((id: string, options: Common & ShowOptions) => reading(options, (run) => show(run, id, options)));
  narrowed(command('diff <a> <b>', 'show what changed from a to b'))
    .option('--all', 'compare volatile paths too')
    .option('--ignore <path>', 'ignore this path, repeatable, instead of the volatile ones', collect)
    .action((a: string, b: string, options: Common & DiffOptions) =>
      reading(options, (run) => diff(run, a, b, options)),
    );
  command('tree <task>', 'draw the fork tree of a task').action((task: string, options: Common) =>
    reading(options, (run) => tree(run, task)),
  );
  planned(narrowed(command('restore <checkpoint>', 'make an older checkpoint the latest')))
    .option('--to <task>', 'copy into this new task instead')
    .action((id: string, options: Common & ChangeOptions) => changing(options, (run) => restore(run, id, options)));
  planned(narrowed(command('delete <checkpoint...>', 'move checkpoints to the trash'))).action(
    (ids: string[], options: Common & ChangeOptions) => changing(options, (run) => remove(run, ids, options)),
  );
  planned(command('undo [receipt]', 'take back a change; the last one by default')).action(
    (receipt: string | undefined, options: Common & ChangeOptions) =>
      changing(options, (run) => undo(run, receipt, options)),
  );
  program
    .command('doctor')
    .description('check what the program runs on')
    .option('--json', 'print JSON')
    .action(() => {
      if (!doctor(output)) process.exitCode = 1;
    });
  return program;
}

function addOpen(program: Command, version: string, output: Output): void {
  program
    .command('open [target...]', { isDefault: true })
    .description('open stores in the browser; default: the stores below this folder')
    .option('--demo', 'open demo stores, with an agent that writes')
    .option('--port <n>', 'port; 0 takes a free one', '4600')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allowed-host <host>', 'accept this Host header too, with port; repeatable', collect)
    .option('--read-only', 'refuse every change')
    .option('--no-open', 'do not start the browser')
    .option('--token <token>', 'use this token instead of a new one (or CHECKPOINT_INSPECTOR_TOKEN)')
    .option('--key-file <path>', KEY_FILE)
    .option('--ask-key', ASK_KEY)
    .option('--json', 'print the start line as JSON')
    .action((targets: string[], options: OpenOptions) => open({ targets, options, version, output }));
}

function addMcp(program: Command, version: string): void {
  program
    .command('mcp [target...]')
    .description('offer checkpoint tools to an agent, over standard input and output (MCP)')
    .option('--read-only', 'offer no saving')
    .option('--key-file <path>', KEY_FILE)
    .action((targets: string[], options: McpOptions) => mcp({ targets, options, version }));
}
