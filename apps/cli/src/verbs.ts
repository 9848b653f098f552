import type { Command, CommandOptions } from 'commander';
import type { TaskOutcome } from '@checkpoint-inspector/core';
import { commandLine, NAME } from './command-line.ts';
import type { Output } from './output.ts';
import { SYSTEM } from './own-system.ts';
import { openWorkspace, type KeyOptions, type Run, type WorkspaceOptions } from './workspace.ts';

export { NAME };

/** The headings of `--help`, in its order. */
export const GROUPS = {
  open: 'Open:',
  look: 'Look:',
  change: 'Change a store (each command shows its plan first):',
  keep: 'Keep:',
  help: 'Help:',
} as const;

interface Help {
  readonly group: keyof typeof GROUPS;
  readonly about: string;
  /** What comes after the program's name. */
  readonly examples: readonly string[];
  /** What `--reveal` does, where it is not the same as everywhere. */
  readonly reveal?: string;
}

export interface Common extends KeyOptions {
  readonly store?: readonly string[];
  readonly home?: boolean;
}

/** Of verbs that list rows. */
export interface Listing extends Common {
  readonly limit?: string;
  readonly cursor?: string;
  readonly since?: string;
  readonly status?: TaskOutcome;
  readonly watch?: boolean;
}

type ProgramFor = (args: readonly string[]) => Promise<Command>;

/** What a verb needs to put itself into the program. */
export interface Verbs {
  readonly output: Output;
  readonly version: string;
  /** A program of its own with the verbs that a command line needs. */
  readonly programFor: ProgramFor;
  /** A verb of its own. */
  add(usage: string, help: Help, options?: CommandOptions): Command;
  /** A verb over open stores: with `--store`, the keys, `--json` and `--reveal`. */
  overStores(usage: string, help: Help): Command;
  /** The same, for a verb that takes a checkpoint, or a task. */
  overCheckpoint(usage: string, help: Help): Command;
  overTask(usage: string, help: Help): Command;
  /** A verb that changes a store: with `--yes` and `--dry-run`. */
  readonly planned: Pick<Verbs, 'overStores' | 'overCheckpoint' | 'overTask'>;
}

export const HOME = 'also what coding agents keep in your home folder; without a store, only that';
export const INDEX_PRIVATE =
  'remember that the search index of these stores may be kept on disk, though they contain private work';
export const KEY_FILE = 'a file that contains the key for encrypted stores (or CHECKPOINT_INSPECTOR_KEY)';
export const ASK_KEY = 'ask for the key for encrypted stores';

const CHECKPOINT_NAMES = `
A checkpoint is named by
  its id, or its first letters if no other id starts with them (4 or more)
  latest              the latest of the task: report/latest, or latest --task report
  latest~2            two steps back from it, from parent to parent; also <id>~2
  task/id             an id in one task, and store/task/id in one store; a task's title works too`;

const TASK_NAMES = `
A task is named by its id or its title, or by store/task where several stores have it.`;

export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

export function createVerbs(
  program: Command,
  { output, version, programFor }: Pick<Verbs, 'output' | 'version' | 'programFor'>,
): Verbs {
  const add = (usage: string, { group, about, examples }: Help, options: CommandOptions = {}): Command =>
    program
      .command(usage, options)
      .helpGroup(GROUPS[group])
      .description(about)
      .addHelpText('after', examplesOf(examples));
  const overStores: Verbs['overStores'] = (usage, help) =>
    add(usage, help)
      .option(
        '-s, --store <path>',
        'a store to use: a path, or the address of a PostgreSQL database; repeatable; default: the stores below this folder',
        collect,
      )
      .option('--home', HOME)
      .option('--key-file <path>', KEY_FILE)
      .option(...SYSTEM)
      .option('--ask-key', ASK_KEY)
      .option('--json', 'print JSON, the same objects as the API')
      .option('--jsonl', 'print JSON lines: one for each item of a list')
      .option('--reveal', help.reveal ?? 'show secrets as stored; default: known kinds are masked');
  const overCheckpoint: Verbs['overCheckpoint'] = (usage, help) =>
    overStores(usage, help)
      .option('--task <task>', 'only this task')
      .option('--ns <namespace>', 'only this namespace')
      .addHelpText('after', CHECKPOINT_NAMES);
  const overTask: Verbs['overTask'] = (usage, help) => overStores(usage, help).addHelpText('after', TASK_NAMES);
  const plan = (command: Command): Command =>
    command.option('-y, --yes', 'apply without asking').option('--dry-run', 'show the plan and change nothing');
  const planned: Verbs['planned'] = {
    overStores: (usage, help) => plan(overStores(usage, help)),
    overCheckpoint: (usage, help) => plan(overCheckpoint(usage, help)),
    overTask: (usage, help) => plan(overTask(usage, help)),
  };
  return { output, version, programFor, add, overStores, overCheckpoint, overTask, planned };
}

/** Below the options. */
export const examplesOf = (examples: readonly string[]): string =>
  ['', 'Examples:', ...examples.map((one) => `  ${NAME} ${one}`.trimEnd())].join('\n');

/** Opens the stores that are named, works with them, and closes them. */
export async function withStores(
  { output }: Verbs,
  options: Common & WorkspaceOptions,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  const workspace = await openWorkspace(options.store ?? [], options, output);
  try {
    await work({ workspace, output, command: commandLine(options) });
  } finally {
    await workspace.close();
  }
}

export const reading = (verbs: Verbs, options: Common, work: (run: Run) => Promise<void>): Promise<void> =>
  withStores(verbs, { ...options, readOnly: true, makesKey: true }, work);

export const changing = (
  verbs: Verbs,
  options: Common & { readonly dryRun?: boolean },
  work: (run: Run) => Promise<void>,
): Promise<void> => withStores(verbs, { ...options, readOnly: options.dryRun ?? false }, work);
