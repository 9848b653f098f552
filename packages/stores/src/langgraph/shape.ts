/** What lists say of a LangGraph checkpoint: which nodes ran, and which run next. */
import type { Checkpoint } from '@langchain/langgraph-checkpoint';

type Versions = Readonly<Record<string, unknown>>;

/** Nodes that run next: those that a channel triggers in a version which they haven't seen. */
export function nextNodes(checkpoint: Checkpoint): string[] {
  const sends: unknown = checkpoint.channel_values['__pregel_tasks'];
  const sent = (Array.isArray(sends) ? sends : []).flatMap((send: unknown) => {
    const node: unknown = typeof send === 'object' && send !== null && 'node' in send ? send.node : undefined;
    return typeof node === 'string' ? [node] : [];
  });
  const pulled = Object.entries(checkpoint.channel_values).flatMap(([channel, value]) => {
    const node = triggered(channel, value);
    if (node === undefined) return [];
    const seen = Object.hasOwn(checkpoint.versions_seen, node) ? checkpoint.versions_seen[node]?.[channel] : undefined;
    const version = checkpoint.channel_versions[channel];
    return version !== undefined && (seen === undefined || numberOf(version) > numberOf(seen)) ? [node] : [];
  });
  return [...sent, ...new Set(pulled)];
}

function triggered(channel: string, value: unknown): string | undefined {
  if (channel === '__start__') return channel;
  if (channel.startsWith('branch:to:')) return channel.slice('branch:to:'.length);
  const [, names, node] = /^join:(.+):([^:]+)$/s.exec(channel) ?? [];
  const arrived = new Set(Array.isArray(value) ? value : []);
  return names?.split('+').every((name) => arrived.has(name)) ? node : undefined;
}

const numberOf = (version: number | string): number =>
  typeof version === 'number' ? version : Number.parseInt(version, 10);

/** Nodes that have seen other versions than at the parent. */
export function nodesThatRan(
  seen: Readonly<Record<string, Versions>>,
  before: Readonly<Record<string, Versions>>,
): string[] {
  return Object.entries(seen).flatMap(([node, versions]) => {
    if (['__input__', '__interrupt__', '__snapshot_bumps__'].includes(node)) return [];
    const known = Object.hasOwn(before, node) ? before[node] : undefined;
    return JSON.stringify(versions) === JSON.stringify(known) ? [] : [node];
  });
}
