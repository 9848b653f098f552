import {
  InspectorError,
  branchTo,
  forkTree,
  formatAddress,
  idFromSegment,
  idToSegment,
  refIn,
} from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, LineageRow, State, Task } from '@checkpoint-inspector/core';
import { everyRow, everyTask, isMasked, noTask, unmasked } from '@checkpoint-inspector/inspector';
import type { Answers, Workspace } from './workspace.ts';

export interface Narrow {
  readonly task?: string | undefined;
  readonly ns?: string | undefined;
}

export interface Found {
  readonly source: CheckpointSource;
  readonly ref: CheckpointRef;
}

interface FoundTask {
  readonly source: CheckpointSource;
  readonly task: string;
}

/** Where a name is looked for. */
interface Scope extends Narrow {
  readonly sources: readonly CheckpointSource[];
  readonly answers: Answers;
}

interface Reading {
  readonly scope: Scope;
  readonly name: string;
}

/** A beginning that is shorter fits too much by chance. */
const SHORTEST = 4;
const CANDIDATES = 10;
/** Among so many tasks of a store the one that was meant is looked for. */
const MOST_NAMES = 1_000;

/**
 * The one checkpoint that `text` means: an id or the beginning of one, `latest`, any of these with `~2` behind it,
 * and each of them also as `task/…` or `store/task/…`. An id that is exactly this text comes first.
 * @throws InspectorError not_found | ambiguous_id | invalid_input
 */
export async function resolveCheckpoint(workspace: Workspace, given: string, asked: Narrow): Promise<Found> {
  const { text, narrow } = await asStored(workspace, given, asked);
  const readings = readingsOf(workspace, text, narrow);
  const found = (await foundIn(readings)) ?? (await foundIn(await byTitle(workspace, readings)));
  if (found) {
    workspace.answers.tellFailed();
    return onlyOne(text, found);
  }
  workspace.answers.assertAll();
  const count = workspace.sources().length;
  const where = count === 1 ? 'the open store' : `${count} open stores`;
  throw new InspectorError('not_found', `No checkpoint "${text}" in ${where}.`, { data: { id: text } });
}

/** The names that are stored, where a table showed them masked. @throws InspectorError not_found | ambiguous_id */
async function asStored(workspace: Workspace, text: string, narrow: Narrow): Promise<{ text: string; narrow: Narrow }> {
  const { task, ns } = narrow;
  if (isMasked(text))
    return { text: await storedName(workspace, task === undefined ? text : `${task}/${text}`), narrow: { ns } };
  return task === undefined ? { text, narrow } : { text, narrow: { ns, task: await storedName(workspace, task) } };
}

const storedName = (workspace: Workspace, text: string): Promise<string> =>
  unmasked(text, workspace.sources(), workspace.masking.masker());

async function foundIn(readings: readonly Reading[]): Promise<readonly Found[] | undefined> {
  for (const look of [findExact, findOther]) {
    for (const reading of readings) {
      const found = await look(reading);
      if (found.length > 0) return found;
    }
  }
  return undefined;
}

/** The same readings where what was written for the task is its title. @throws InspectorError ambiguous_id */
async function byTitle(workspace: Workspace, readings: readonly Reading[]): Promise<Reading[]> {
  const titled: Reading[] = [];
  for (const { scope, name } of readings) {
    if (scope.task === undefined) continue;
    const tasks = await titledTasks(workspace, scope.sources, scope.task);
    if (tasks.length > 1) throw severalTasks(scope.task, tasks);
    titled.push(...tasks.map(({ source, task }) => ({ scope: { ...scope, sources: [source], task }, name })));
  }
  return titled;
}

function onlyOne(text: string, found: readonly Found[]): Found {
  const [only] = found;
  if (found.length === 1 && only) return only;
  throw new InspectorError('ambiguous_id', `"${text}" matches ${found.length} checkpoints.`, {
    data: {
      candidates: found.slice(0, CANDIDATES).map(({ source, ref }) => formatAddress({ store: source.info.id, ...ref })),
    },
    remedy: 'Use one of these addresses, or narrow it down with --task and --ns.',
  });
}

function readingsOf(workspace: Workspace, text: string, narrow: Narrow): Reading[] {
  const { task, ns } = narrow;
  const plain = scopesOf(workspace, task).map((scope) => ({ scope: { ...scope, ns }, name: text }));
  return text.includes('/') && task === undefined ? [...plain, ...addressesIn(workspace, text, ns)] : plain;
}

/** `store/task/namespace/id`, `store/task/id`, `task/id`: any slash may end the task, and of two tasks the longer wins. */
function addressesIn(workspace: Workspace, text: string, ns: string | undefined): Reading[] {
  const { answers } = workspace;
  const sources = workspace.sources();
  const [first = '', ...inStore] = text.split('/');
  const named = sources.filter(({ info }) => info.id === first);
  const store = { answers, sources: named, ns };
  const [task = '', space = '', id = ''] = inStore.map(decoded);
  const whole = inStore.length === 3 ? [{ scope: { ...store, task, ns: space }, name: id }] : [];
  return [
    ...(named.length === 0 ? [] : [...whole, ...splitsOf(store, inStore)]),
    ...splitsOf({ answers, sources, ns }, [first, ...inStore]),
  ];
}

function splitsOf(scope: Scope, parts: readonly string[]): Reading[] {
  const ends = [...parts.keys()].slice(1).toReversed();
  return ends.flatMap((end) =>
    spellings(parts.slice(0, end).join('/')).flatMap((task) =>
      spellings(parts.slice(end).join('/')).map((name) => ({ scope: { ...scope, task }, name })),
    ),
  );
}

/** What an id may be that was written so. As addresses are printed comes first; a "~" in front may also be its own. */
function spellings(text: string): string[] {
  const id = decoded(text);
  return [...new Set(idToSegment(id) === text ? [id, text] : [text, id])];
}

/** A task as it is written, and as `store/task`. */
function scopesOf(workspace: Workspace, task: string | undefined): Scope[] {
  const { answers } = workspace;
  const sources = workspace.sources();
  if (task === undefined) return [{ answers, sources }];
  const slash = task.indexOf('/');
  const store = slash === -1 ? [] : sources.filter(({ info }) => info.id === task.slice(0, slash));
  const rest = task.slice(slash + 1);
  const names = store.length === 0 ? [] : [...new Set([decoded(rest), rest])];
  return [{ answers, sources, task }, ...names.map((name) => ({ answers, sources: store, task: name }))];
}

function decoded(segment: string): string {
  try {
    return idFromSegment(decodeURIComponent(segment));
  } catch {
    return segment; // a "%" that encodes nothing
  }
}

async function findExact({ scope, name }: Reading): Promise<Found[]> {
  const found = await scope.answers.of(scope.sources, async (source) =>
    (await source.find(name)).map((ref) => ({ source, ref })),
  );
  return found.flat().filter(({ ref }) => isIn(ref, scope));
}

const isIn = (ref: CheckpointRef, { task, ns }: Narrow): boolean =>
  (task === undefined || ref.task === task) && (ns === undefined || (ref.namespace ?? '') === ns);

async function findOther(reading: Reading): Promise<Found[]> {
  const { scope, name } = reading;
  const [, base, steps] = /^(.+)~(\d*)$/.exec(name) ?? [];
  if (base !== undefined) {
    const ends = [...(await findExact({ scope, name: base }))];
    const from = ends.length > 0 ? ends : await findOther({ scope, name: base });
    return Promise.all(from.map((found) => ancestorOf(found, steps === '' ? 1 : Number(steps))));
  }
  return name === 'latest' ? latestIn(scope) : shortIn(scope, name);
}

/** @throws InspectorError not_found when the branch is shorter, or its parent is not in the store */
async function ancestorOf({ source, ref }: Found, steps: number): Promise<Found> {
  const branch = await branchTo(ref, async (task) => {
    const rows: LineageRow[] = [];
    for await (const row of source.lineage(task)) rows.push(row);
    return forkTree(task, rows);
  });
  const step = branch.at(-1 - steps);
  if (step?.row !== undefined) return { source, ref: step.ref };
  const known = branch.filter(({ row }) => row !== undefined).length - 1;
  throw new InspectorError(
    'not_found',
    `"${ref.id}" has ${known} ${known === 1 ? 'checkpoint' : 'checkpoints'} before it on its branch, not ${steps}.`,
    { data: { id: ref.id } },
  );
}

/** @throws InspectorError invalid_input | unreadable | locked | … */
async function latestIn(scope: Scope): Promise<Found[]> {
  const wanted = scope.task ?? (await onlyTaskOf(scope));
  const found = await scope.answers.of(scope.sources, async (source) => {
    const ref = await latestOf(source, wanted, scope.ns);
    return ref === undefined ? [] : [{ source, ref }];
  });
  const latest = found.flat();
  if (latest.length === 0) await assertReadable(scope, wanted);
  return latest;
}

/** A task that has no latest though it has checkpoints. @throws InspectorError with the code of the first problem */
async function assertReadable({ answers, sources, ns }: Scope, task: string): Promise<void> {
  const pages = await answers.of(sources, async (source) => source.checkpoints(task));
  const rows = pages.flatMap(({ items }) => items).filter((row) => isIn(refIn(task, row), { ns }));
  const problem = rows[0]?.problem;
  if (problem === undefined || rows.some((row) => row.problem === undefined)) return;
  throw new InspectorError(problem.code, `None of the checkpoints of "${task}" can be read.`, {
    data: { task },
    ...(problem.code === 'unreadable' ? { remedy: '`list` shows the reason for each of them.' } : {}),
  });
}

/** Of the task, or of one namespace of it: the first row of it in the order of resuming. */
async function latestOf(
  source: CheckpointSource,
  task: string,
  ns: string | undefined,
): Promise<CheckpointRef | undefined> {
  const { ref } = await source.latest(task);
  if (ref === undefined || isIn(ref, { ns })) return ref;
  for await (const row of everyRow(source, task)) {
    const found = refIn(task, row);
    if (isIn(found, { ns })) return found;
  }
  return undefined;
}

/** @throws InspectorError invalid_input when there are several */
async function onlyTaskOf({ sources, answers }: Scope): Promise<string> {
  const pages = await answers.of(sources, async (source) => source.tasks({ limit: 2 }));
  const [only, ...others] = pages.flatMap(({ items }) => items);
  if (only !== undefined && others.length === 0) return only.id;
  if (only === undefined) answers.assertAll();
  throw new InspectorError('invalid_input', '"latest" needs a task here.', {
    remedy: 'Write task/latest, or add --task; `tasks` lists them.',
  });
}

/** Ids that begin so, or that were printed with their middle left out. */
async function shortIn(scope: Scope, name: string): Promise<Found[]> {
  const [start = '', end = '', ...others] = name.split('…');
  if (start.length + end.length < SHORTEST || others.length > 0) return [];
  const fits = (id: string) => id.startsWith(start) && id.endsWith(end) && id.length >= start.length + end.length;
  const found = await scope.answers.of(scope.sources, async (source) => {
    const inStore: Found[] = [];
    for await (const task of tasksIn(source, scope.task)) {
      for await (const row of source.lineage(task)) {
        const ref = refIn(task, row);
        if (fits(ref.id) && isIn(ref, scope)) inStore.push({ source, ref });
      }
    }
    return inStore;
  });
  return found.flat();
}

async function* tasksIn(source: CheckpointSource, task: string | undefined): AsyncGenerator<string> {
  if (task !== undefined) yield task;
  else for await (const { id } of everyTask(source)) yield id;
}

/**
 * The task of this name: its id or its title, or `store/` and one of these. An id comes first.
 * @throws InspectorError not_found | ambiguous_id
 */
export async function resolveTask(workspace: Workspace, given: string): Promise<FoundTask> {
  const text = await storedName(workspace, given);
  const found = await tasksNamed(workspace, text);
  if (found[0]) workspace.answers.tellFailed();
  if (found.length > 1) throw severalTasks(text, found);
  if (found[0]) return found[0];
  workspace.answers.assertAll();
  const pages = await workspace.answers.of(workspace.sources(), async (source) => source.tasks({ limit: MOST_NAMES }));
  throw noTask(
    text,
    pages.flatMap(({ items }) => items.map(({ id }) => id)),
  );
}

async function tasksNamed(workspace: Workspace, text: string): Promise<FoundTask[]> {
  const scopes = scopesOf(workspace, text);
  for (const { sources, task = text } of scopes) {
    const holders = await holdersOf(workspace, sources, task);
    if (holders.length > 0) return holders.map((source) => ({ source, task }));
  }
  for (const { sources, task = text } of scopes) {
    const titled = await titledTasks(workspace, sources, task);
    if (titled.length > 0) return titled;
  }
  return [];
}

/** By what tables call them: ids of other systems are often unlike any name. */
async function titledTasks(
  workspace: Workspace,
  sources: readonly CheckpointSource[],
  shown: string,
): Promise<FoundTask[]> {
  const exact = await tasksCalled(workspace, sources, shown);
  const title = withoutEscapes(shown);
  return exact.length > 0 || title === shown ? exact : tasksCalled(workspace, sources, title);
}

/** Tables write a line break or a hidden sign as an escape. */
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\\u([\da-f]{4})/g, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));

async function tasksCalled(
  { answers }: Workspace,
  sources: readonly CheckpointSource[],
  title: string,
): Promise<FoundTask[]> {
  const found = await answers.of(sources, async (source) => {
    const { items } = await source.tasks({ text: title, limit: MOST_NAMES });
    return items.filter((task) => task.title === title).map(({ id }) => ({ source, task: id }));
  });
  return found.flat();
}

async function holdersOf(
  { answers }: Workspace,
  sources: readonly CheckpointSource[],
  task: string,
): Promise<CheckpointSource[]> {
  const found = await answers.of(sources, async (source) => ((await holdsTask(source, task)) ? [source] : []));
  return found.flat();
}

/** A task may be listed though no checkpoint of it is left. */
async function holdsTask(source: CheckpointSource, task: string): Promise<boolean> {
  const page = await source.checkpoints(task, { limit: 1 });
  if (page.items.length > 0) return true;
  const { items } = await source.tasks({ text: task, limit: 1000 });
  return items.some(({ id, checkpointCount }) => id === task && checkpointCount === 0);
}

function severalTasks(text: string, found: readonly FoundTask[]): InspectorError {
  const stores = new Set(found.map(({ source }) => source.info.id));
  const words = stores.size === found.length ? 'stores have a task' : 'tasks are called';
  return new InspectorError('ambiguous_id', `${found.length} ${words} "${text}".`, {
    data: { candidates: found.map(addressOfTask) },
    remedy: 'Name one of these instead.',
  });
}

const addressOfTask = ({ source, task }: FoundTask): string => `${source.info.id}/${idToSegment(task)}`;

export const gone = (id: string): InspectorError =>
  new InspectorError('not_found', `Checkpoint "${id}" is no longer in the store.`, { data: { id } });

/** @param name what the user called it @throws InspectorError not_found */
export async function stateOf({ source, ref }: Found, name = ref.id): Promise<State> {
  const state = await source.state(ref);
  if (state === undefined) throw gone(name);
  return state;
}

/**
 * `--task` of verbs that go over all stores: the stores that have it, or the one that `store/task` or a title names.
 * @throws InspectorError ambiguous_id
 */
export async function taskFilter(
  workspace: Workspace,
  given: string | undefined,
): Promise<{ readonly task?: string; readonly store?: Task['store'] }> {
  if (given === undefined) return {};
  const text = await storedName(workspace, given);
  if ((await holdersOf(workspace, workspace.sources(), text)).length > 0) return { task: text };
  const found = await tasksNamed(workspace, text);
  if (found.length > 1) throw severalTasks(text, found);
  if (found[0]) return { task: found[0].task, store: found[0].source.info.id };
  const [, address] = scopesOf(workspace, text);
  const store = address?.sources[0]?.info.id;
  return store === undefined || address?.task === undefined ? { task: text } : { task: address.task, store };
}

/** `--ns` narrows what `--cp` names; alone it would be passed over. @throws InspectorError invalid_input */
export function assertNarrows({ cp, ns }: { readonly cp?: string; readonly ns?: string }): void {
  if (cp !== undefined || ns === undefined) return;
  throw new InspectorError('invalid_input', '--ns is the namespace of --cp, which is missing.', {
    remedy: 'Name the last checkpoint of the branch with --cp too.',
  });
}
