import { fromJsonText } from '@checkpoint-inspector/core';
import { isRecord, recordOf } from '../folder/view.ts';

type Versions = Readonly<Record<string, unknown>>;
export type VersionsSeen = Readonly<Record<string, Versions>>;

/** The parts of a checkpoint that say what ran and what runs next. For display only: state text is never made from it. */
export interface CheckpointShape {
  readonly version: number;
  readonly channelValues: Readonly<Record<string, unknown>>;
  readonly channelVersions: Versions;
  readonly versionsSeen: VersionsSeen;
}

/** `undefined` for a JSON value that is not a checkpoint. @throws InspectorError unreadable */
export function readShape(text: string): CheckpointShape | undefined {
  const value = parseLoosely(text);
  if (!isRecord(value) || !isRecord(value['channel_values'])) return undefined;
  return {
    version: typeof value['v'] === 'number' ? value['v'] : 1,
    channelValues: value['channel_values'],
    channelVersions: recordOf(value['channel_versions']),
    versionsSeen: seenOf(value['versions_seen']),
  };
}

/** JSON.parse is the fastest reader there is; Python's NaN needs the exact one. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return fromJsonText(text);
  }
}

export function seenOf(value: unknown): VersionsSeen {
  const seen = recordOf(value);
  // Most are as they should be, and a tree has many.
  if (isOfRecords(seen)) return seen;
  return Object.fromEntries(Object.entries(seen).map(([node, versions]) => [node, recordOf(versions)]));
}

function isOfRecords(seen: Readonly<Record<string, unknown>>): seen is VersionsSeen {
  for (const node in seen) if (!isRecord(seen[node])) return false;
  return true;
}

/** A task of the next step: a node that a channel triggers, or one of the sends. */
export interface NextTask {
  readonly node: string;
  /** The channel that triggers it. */
  readonly trigger?: string;
  /** Its place in the list of sends. */
  readonly send?: number;
}

/** What LangGraph runs next: a task per `Send`, and nodes with a trigger channel newer than what they have seen. */
export function nextTasks(shape: CheckpointShape): readonly NextTask[] {
  const tasks: NextTask[] = [];
  const sends = shape.channelValues['__pregel_tasks'];
  for (const [send, packet] of (Array.isArray(sends) ? sends : []).entries()) {
    const node = recordOf(packet)['node'];
    if (typeof node === 'string') tasks.push({ node, send });
  }
  for (const [trigger, value] of Object.entries(shape.channelValues)) {
    const node = trigger === START ? (entryOf(shape) ?? START) : triggeredNode(trigger, value);
    if (node === undefined) continue;
    const seen = Object.hasOwn(shape.versionsSeen, node) ? shape.versionsSeen[node]?.[trigger] : undefined;
    if (isNewer(shape.channelVersions[trigger], seen)) tasks.push({ node, trigger });
  }
  return shape.version < BRANCHES_TO ? [...tasks, ...learntTasks(shape, tasks)] : tasks;
}

/** Since this format, all channels that trigger a node name it. */
const BRANCHES_TO = 2;

/** Before, a node was triggered by channels named after others: which ones, what it has seen tells. */
function learntTasks(shape: CheckpointShape, known: readonly NextTask[]): readonly NextTask[] {
  const named = Object.keys(shape.channelValues).flatMap((trigger) => {
    const node = /^(?:start:(.+)|branch:(?!to:)[^:]+:[^:]+:(.+))$/s.exec(trigger);
    return node === null ? [] : [{ node: node[1] ?? node[2] ?? '', trigger }];
  });
  const learnt = Object.entries(shape.versionsSeen).flatMap(([node, seen]) =>
    node.startsWith('__') ? [] : Object.keys(seen).map((trigger) => ({ node, trigger })),
  );
  const found = new Set(known.map(({ node }) => node));
  return [...named, ...learnt].filter(({ node, trigger }) => {
    const seen = Object.hasOwn(shape.versionsSeen, node) ? shape.versionsSeen[node]?.[trigger] : undefined;
    if (found.has(node) || !Object.hasOwn(shape.channelValues, trigger)) return false;
    if (!isNewer(shape.channelVersions[trigger], seen)) return false;
    found.add(node);
    return true;
  });
}

/** Sets of channels that may be all that trigger a node, in Python's order: by their names, and by what it has seen. */
export function triggersOf(
  { channelVersions, versionsSeen }: CheckpointShape,
  node: string,
  trigger: string | undefined,
): readonly (readonly string[])[] {
  const own = node === '__start__' ? node : `branch:to:${node}`;
  const joins = Object.keys(channelVersions).filter((name) => name.startsWith('join:') && name.endsWith(`:${node}`));
  const seen = Object.hasOwn(versionsSeen, node) ? Object.keys(versionsSeen[node] ?? {}) : [];
  const sets = [[own, ...joins], trigger === undefined ? [] : [trigger], joins, seen];
  const sorted = sets.filter((set) => set.length > 0).map((set) => set.toSorted());
  return sorted.filter((set, n) => sorted.findIndex((other) => other.join('\n') === set.join('\n')) === n);
}

/** The nodes of those tasks, one by one. */
export function nextNodes(shape: CheckpointShape): readonly string[] {
  return nextTasks(shape).map(({ node }) => node);
}

const START = '__start__';

/** A functional graph has no node `__start__`: its entry point is triggered by that channel, and has seen it once it ran. */
function entryOf({ versionsSeen }: CheckpointShape): string | undefined {
  if (Object.hasOwn(versionsSeen, START)) return undefined;
  const entries = Object.entries(versionsSeen).filter(
    ([node, seen]) => !node.startsWith('__') && Object.hasOwn(seen, START),
  );
  return entries.length === 1 ? entries[0]?.[0] : undefined;
}

/** The entry point of a functional graph may run next, under a name that this checkpoint does not tell. */
export const mayBeFunctional = ({ channelValues, versionsSeen }: CheckpointShape): boolean =>
  Object.hasOwn(channelValues, START) && !Object.hasOwn(versionsSeen, START);

function triggeredNode(channel: string, value: unknown): string | undefined {
  if (channel.startsWith('branch:to:')) return channel.slice('branch:to:'.length);
  const join = /^join:(.+):([^:]+)$/s.exec(channel);
  if (!join) return undefined;
  const arrived = new Set(Array.isArray(value) ? value : []);
  return join[1]?.split('+').every((name) => arrived.has(name)) ? join[2] : undefined;
}

/** Versions are integers (JavaScript) or texts that begin with one (Python). */
function isNewer(version: unknown, seen: unknown): boolean {
  if (version === undefined) return false;
  return seen === undefined || versionNumber(version) > versionNumber(seen);
}

function versionNumber(version: unknown): number {
  return typeof version === 'number' ? version : Number.parseInt(String(version), 10);
}

/** Nodes that ran to make a checkpoint: those that have seen other versions than in its parent. */
export function nodesThatRan(seen: VersionsSeen, before: VersionsSeen): readonly string[] {
  const ran: string[] = [];
  for (const node in seen) {
    if (isNode(node) && !sameVersions(seen[node] ?? {}, Object.hasOwn(before, node) ? before[node] : undefined))
      ran.push(node);
  }
  return ran;
}

/** Others keep their versions beside those of the nodes. */
export const isNode = (name: string): boolean =>
  name !== '__input__' && name !== '__interrupt__' && name !== '__snapshot_bumps__';

export function sameVersions(a: Versions, b: Versions | undefined): boolean {
  if (b === undefined) return false;
  let left = 0;
  for (const name in a) {
    if (!Object.hasOwn(b, name) || (a[name] !== b[name] && !isSame(a[name], b[name]))) return false;
    left += 1;
  }
  return left === Object.keys(b).length;
}

const isSame = (a: unknown, b: unknown): boolean => typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b);
