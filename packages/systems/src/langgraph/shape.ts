import { fromJsonText } from '@checkpoint-inspector/core';
import { isRecord, recordOf } from '../folder/view.ts';

type Versions = Readonly<Record<string, unknown>>;
export type VersionsSeen = Readonly<Record<string, Versions>>;

/** The parts of a checkpoint that say what ran and what runs next. For looking only: state text is never made from it. */
export interface CheckpointShape {
  readonly version: number;
  readonly channelValues: Readonly<Record<string, unknown>>;
  readonly channelVersions: Versions;
  readonly versionsSeen: VersionsSeen;
}

/** `undefined` for a JSON value that is no checkpoint. @throws InspectorError unreadable */
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
  return Object.fromEntries(Object.entries(recordOf(value)).map(([node, seen]) => [node, recordOf(seen)]));
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
    const node = triggeredNode(trigger, value);
    if (node === undefined) continue;
    const seen = Object.hasOwn(shape.versionsSeen, node) ? shape.versionsSeen[node]?.[trigger] : undefined;
    if (isNewer(shape.channelVersions[trigger], seen)) tasks.push({ node, trigger });
  }
  return tasks;
}

/** The nodes of those tasks, one by one. */
export function nextNodes(shape: CheckpointShape): readonly string[] {
  return nextTasks(shape).map(({ node }) => node);
}

function triggeredNode(channel: string, value: unknown): string | undefined {
  if (channel === '__start__') return channel;
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
  return Object.keys(seen).filter((node) => {
    if (node === '__input__' || node === '__interrupt__' || node === '__snapshot_bumps__') return false;
    return JSON.stringify(seen[node]) !== JSON.stringify(Object.hasOwn(before, node) ? before[node] : undefined);
  });
}
