import { Command } from 'commander';
import { remove, restore, undo } from './commands/change.ts';
import type { ChangeOptions } from './commands/change.ts';
import { diff } from './commands/diff.ts';
import type { DiffOptions } from './commands/diff.ts';
import { doctor } from './commands/doctor.ts';
import { edit } from './commands/edit.ts';
import type { EditOptions } from './commands/edit.ts';
import { exportTask } from './commands/export.ts';
import type { ExportOptions } from './commands/export.ts';
import { history } from './commands/history.ts';
import type { HistoryOptions } from './commands/history.ts';
import type { KeyOptions } from './key.ts';
import { list } from './commands/list.ts';
import type { ListOptions } from './commands/list.ts';
import { mcp } from './commands/mcp.ts';
import type { McpOptions } from './commands/mcp.ts';
import { open } from './commands/open.ts';
import type { OpenOptions } from './commands/open.ts';
import { search } from './commands/search.ts';
import type { SearchOptions } from './commands/search.ts';
import { show } from './commands/show.ts';
import type { ShowOptions } from './commands/show.ts';
import { prune } from './commands/prune.ts';
import type { PruneOptions } from './commands/prune.ts';
import { storage } from './commands/storage.ts';
import { keep, purge, trash } from './commands/trash.ts';
import type { PurgeOptions } from './commands/trash.ts';
import { tasks } from './commands/tasks.ts';
import { label, note } from './commands/annotate.ts';
import type { AnnotateOptions } from './commands/annotate.ts';
import { errors, inbox, usage } from './commands/triage.ts';
import type { TriageOptions, UsageOptions } from './commands/triage.ts';
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
  command('errors', 'group the failed checkpoints, each with the last good one before it')
    .option('--task <id>', 'only in this task')
    .action((options: Common & TriageOptions) => reading(options, (run) => errors(run, options)));
  command('inbox', 'list what waits for a person, the longest wait first')
    .option('--task <id>', 'only in this task')
    .action((options: Common & TriageOptions) => reading(options, (run) => inbox(run, options)));
  command('usage', 'add up tokens, cost and time per task and per agent')
    .option('--task <id>', 'only in this task')
    .option('--agent <id>', 'only of this agent')
    .action((options: Common & UsageOptions) => reading(options, (run) => usage(run, options)));
  narrowed(
    command('label <checkpoint> [labels...]', 'give a checkpoint labels, kept in the journal; `bookmark` protects it'),
  )
    .option('--remove', 'take them away')
    .action((id: string, labels: string[], options: Common & AnnotateOptions) =>
      reading(options, (run) => label(run, id, labels, options)),
    );
  narrowed(command('note <checkpoint> [text]', 'write the note of a checkpoint, kept in the journal'))
    .option('--remove', 'take it away')
    .action((id: string, text: string | undefined, options: Common & AnnotateOptions) =>
      reading(options, (run) => note(run, id, text, options)),
    );
  command('list <task>', 'list the checkpoints of a task, the latest first')
    .option('--limit <n>', 'rows per page, 1 to 1000')
    .option('--cursor <cursor>', 'the page after')
    .action((task: string, options: Common & ListOptions) => reading(options, (run) => list(run, task, options)));
  narrowed(command('show <checkpoint>', 'print the state as it is stored'))
    .option('--meta', 'print all about it instead')
    .option('--raw', 'print the stored bytes instead')
    .option('--path <path>', 'print the value at this path, such as $.messages[0]; of an object or list its children')
    .option('--offset <n>', 'begin at this child; with --find at this offset')
    .option('--limit <n>', 'children or matches at most, 1 to 1000; default 200')
    .option('--find <text>', 'print where this text stands')
    .action((id: string, options: Common & ShowOptions) => reading(options, (run) => show(run, id, options)));
  narrowed(command('diff <a> <b>', 'show what changed from a to b'))
    .option('--all', 'compare volatile paths too')
    .option('--ignore <path>', 'ignore this path, repeatable, instead of the volatile ones', collect)
    .action((a: string, b: string, options: Common & DiffOptions) =>
      reading(options, (run) => diff(run, a, b, options)),
    );
  command('search <query...>', 'find text in all states: words, path:value, status:failed, >10MB; after -- also -word')
    .option('--limit <n>', 'results per page, 1 to 1000')
    .option('--cursor <cursor>', 'the page after')
    .option('--wait <seconds>', 'how long to wait for the index, 60 by default')
    .action((words: string[], options: Common & SearchOptions) =>
      reading(options, (run) => search(run, words, options)),
    );
  command('tree <task>', 'draw the fork tree of a task').action((task: string, options: Common) =>
    reading(options, (run) => tree(run, task)),
  );
  const exporting = (target: Command): Command =>
    target
      .option('--out <file>', 'the file to write; it must not be there yet')
      .option('--checkpoint <id>', 'only this checkpoint, repeatable; default: all of the task', collect)
      .option('--reveal', 'leave secrets of known shapes as they are stored; default: masked')
      .option('--dry-run', 'say what it will hold and what is masked, and write nothing')
      .option('--force', 'write over a file');
  exporting(command('export <task>', 'write a task to a file: a bundle, or one offline report'))
    .option('--format <format>', 'bundle or html', 'bundle')
    .action((task: string, options: Common & ExportOptions) =>
      reading(options, (run) => exportTask(run, task, options)),
    );
  exporting(command('report <task>', 'write a task as one offline HTML file')).action(
    (task: string, options: Common & ExportOptions) =>
      reading(options, (run) => exportTask(run, task, { ...options, format: 'html' })),
  );
  command('history <task> <path>', 'show every checkpoint in which the value at a path changed, newest first')
    .option('--cp <checkpoint>', 'the end of the branch; default: the latest')
    .option('--ns <namespace>', 'namespace of --cp')
    .action((task: string, path: string, options: Common & HistoryOptions) =>
      reading(options, (run) => history(run, task, path, options)),
    );
  planned(narrowed(command('restore <checkpoint>', 'make an older checkpoint the latest')))
    .option('--to <task>', 'copy into this new task instead')
    .action((id: string, options: Common & ChangeOptions) => changing(options, (run) => restore(run, id, options)));
  planned(
    narrowed(command('edit <checkpoint>', 'save a changed state as a child of a checkpoint, which stays as it is')),
  )
    .option('--file <path>', 'the whole new state as JSON; - reads standard input; a last line end is left out')
    .option('--set <path=json>', "change one value, such as '$.a.b=false', repeatable", collect)
    .option('--reason <text>', 'why, kept with the receipt')
    .option('--author <name>', 'who, kept with the receipt')
    .option('--to <task>', 'save into this new task instead')
    .action((id: string, options: Common & EditOptions) => changing(options, (run) => edit(run, id, options)));
  planned(narrowed(command('delete <checkpoint...>', 'move checkpoints to the trash'))).action(
    (ids: string[], options: Common & ChangeOptions) => changing(options, (run) => remove(run, ids, options)),
  );
  planned(command('prune <task...>', 'move what a policy names to the trash; all conditions have to hold'))
    .option('--older-than <age>', 'saved longer ago than this: 30d, 12h, 4w')
    .option('--keep-last <n>', 'not among the newest n of the task')
    .option('--status <status>', 'only with this status, repeatable', collect)
    .option('--text <text>', 'only with this text in id or description')
    .action((names: string[], options: Common & PruneOptions) =>
      changing(options, (run) => prune(run, names, options)),
    );
  command('storage', 'show what stores, journal and trash take up, and what cannot be read').action((options: Common) =>
    reading(options, storage),
  );
  addTrash(program, output);
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
  // For all that prints lines for people; an export has an option of the same name and meaning.
  for (const sub of program.commands) {
    const names = new Set(sub.options.map((option) => option.long));
    if (names.has('--store') && !names.has('--reveal'))
      sub.option('--reveal', 'print secrets of known shapes as they are stored; default: masked');
  }
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
    .option('--app', 'open the page as a window of its own')
    .option('--token <token>', 'use this token instead of a new one (or CHECKPOINT_INSPECTOR_TOKEN)')
    .option('--key-file <path>', KEY_FILE)
    .option('--ask-key', ASK_KEY)
    .option('--json', 'print the start line as JSON')
    .action((targets: string[], options: OpenOptions) => open({ targets, options, version, output }));
}

function addTrash(program: Command, output: Output): void {
  const bin = program
    .command('trash')
    .description('list what is in the trash, by change')
    .option('--json', 'print JSON')
    .action(() => trash(output));
  bin
    .command('purge [change...]')
    .description('empty the trash for good: named changes, --expired, or --all')
    .option('--expired', 'what is kept longer than `trash keep` says')
    .option('--all', 'everything')
    .option('-y, --yes', 'purge without asking')
    .option('--dry-run', 'show what would go and purge nothing')
    .option('--json', 'print JSON')
    .action((changes: string[], options: PurgeOptions) => purge(output, changes, options));
  bin
    .command('keep <days>')
    .description('set after how many days the trash is offered for purging; nothing is purged by itself')
    .option('--json', 'print JSON')
    .action((days: string) => keep(output, days));
}

function addMcp(program: Command, version: string): void {
  program
    .command('mcp [target...]')
    .description('offer checkpoint tools to an agent, over standard input and output (MCP)')
    .option('--read-only', 'offer no saving')
    .option('--key-file <path>', KEY_FILE)
    .action((targets: string[], options: McpOptions) => mcp({ targets, options, version }));
}
