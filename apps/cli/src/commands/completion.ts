import { Argument } from 'commander';
import { idToSegment, refIn, type Task } from '@checkpoint-inspector/core';
import { candidateLines, valueName, wantedIn, wordsFor, type Candidate, type Wanted } from '../complete.ts';
import { many, printable } from '../output.ts';
import { resolveTask } from '../resolve.ts';
import { SHELLS } from '../shells.ts';
import { NAME, type Verbs } from '../verbs.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';

/** Folders that stores are looked for in: somebody waits at the keyboard. */
const MAX_FOLDERS = 500;
const MOST = 1_000;

const SETUP = `
Setup:
  bash   echo 'eval "$(${NAME} completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(${NAME} completion zsh)"' >> ~/.zshrc   (after compinit)
  fish   ${NAME} completion fish > ~/.config/fish/completions/${NAME}.fish`;

export function addCompletion(verbs: Verbs): void {
  verbs
    .add('completion', {
      group: 'help',
      about: 'print a shell completion script, for commands, options, tasks and checkpoints',
      examples: ['completion bash', 'completion zsh', 'completion fish', 'completion bash -- list rep'],
    })
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SHELLS)))
    .argument('[words...]', 'a command line, after --: prints what can complete its last word, as the shell asks')
    .addHelpText('after', SETUP)
    .action(async (shell: keyof typeof SHELLS, words: readonly string[]) => {
      if (words.length > 0) for (const line of await completed(verbs, words)) verbs.output.line(line);
      else verbs.output.line(SHELLS[shell].trimEnd());
    });
}

/** Empty where nothing fits and where a store can't be read: a shell that waits for a word has no use for errors. */
async function completed({ programFor }: Verbs, words: readonly string[]): Promise<string[]> {
  const wanted = wantedIn(await programFor(words.length === 1 ? [] : words), words);
  const candidates = wordsFor(wanted) ?? (await namesFor(wanted).catch(() => []));
  return candidateLines(wanted, candidates);
}

const NAMES: Readonly<Record<string, (workspace: Workspace, word: string) => Promise<Candidate[]>>> = {
  task: taskNames,
  checkpoint: checkpointNames,
  a: checkpointNames,
  b: checkpointNames,
};

async function namesFor(wanted: Wanted): Promise<Candidate[]> {
  const names = NAMES[valueName(wanted) ?? ''];
  if (names === undefined) return [];
  const workspace = await openWorkspace(wanted.stores, {
    readOnly: true,
    maxFolders: MAX_FOLDERS,
    onFailure: () => {},
  });
  try {
    return await names(workspace, wanted.word);
  } finally {
    await workspace.close();
  }
}

const inStore = ({ store, id }: Task): string => `${store}/${idToSegment(id)}`;

/** Ids; with the store in front where several have the id, or where the word begins so. */
async function taskNames({ stores }: Workspace, word: string): Promise<Candidate[]> {
  const { items } = await stores.tasks({ limit: MOST });
  const isShared = (task: Task): boolean => items.some(({ store, id }) => id === task.id && store !== task.store);
  return items.map((task) => ({
    name: isShared(task) || word.startsWith(`${task.store}/`) ? inStore(task) : task.id,
    about: `${task.status}, ${task.atLeast ? `${task.checkpointCount}+ checkpoints` : many(task.checkpointCount)}`,
  }));
}

/** The latest of each task; after `task/` what that task has. */
async function checkpointNames(workspace: Workspace, word: string): Promise<Candidate[]> {
  const tasks = await taskNames(workspace, word);
  const within = tasks.find(({ name }) => word.startsWith(`${name}/`));
  if (within === undefined) return tasks.map(({ name, about = '' }) => ({ name: `${name}/latest`, about }));
  const { source, task } = await resolveTask(workspace, within.name);
  const { items } = await source.checkpoints(task, { limit: MOST });
  const rows = items.map((row) => ({
    name: `${within.name}/${idToSegment(refIn(task, row).id)}`,
    about: [row.status, printable(row.description ?? '')].filter(Boolean).join(', '),
  }));
  return [{ name: `${within.name}/latest` }, ...rows];
}
