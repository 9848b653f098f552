/** The view on the screen as a call that a script or an agent can make. The token stands as `$TOKEN`. */
import { formatAddress, idToSegment, type Address } from '@checkpoint-inspector/core';
import type { View } from '../../lib/search.ts';

export interface ViewPlace {
  readonly view: View;
  readonly at: Address;
  /** What the changes are against. */
  readonly base: Address | undefined;
  /** The store as the command line opens it. */
  readonly location: string | undefined;
  readonly origin: string;
  /** Ignore rules that are not the store's own. */
  readonly rules: readonly string[] | undefined;
}

/** Safe in a POSIX shell whatever is in it. @example shellWord("it's") // "'it'\\''s'" */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const storeOption = ({ location }: ViewPlace): string[] => (location === undefined ? [] : ['-s', location]);

/** @example "checkpoint-inspector diff ckpt-06 ckpt-07 --task run-1 -s ./research.db" */
export function cliCall(place: ViewPlace): string {
  const { view, at, base, rules } = place;
  const narrow = ['--task', at.task, ...(at.namespace === undefined ? [] : ['--ns', at.namespace])];
  const isDiff = view === 'changes' && base !== undefined && base.task === at.task && base.store === at.store;
  const ignored =
    rules === undefined ? [] : rules.length === 0 ? ['--all'] : rules.flatMap((rule) => ['--ignore', rule]);
  const words = isDiff
    ? ['diff', base.id, at.id, ...narrow, ...ignored]
    : ['show', at.id, ...narrow, ...(view === 'raw' ? ['--raw'] : view === 'meta' ? ['--meta'] : [])];
  return ['checkpoint-inspector', ...words, ...storeOption(place)].map(shellWord).join(' ');
}

/** @example `curl -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:4600/api/diff?a=…&b=…'` */
export function curlCall(place: ViewPlace): string {
  return `curl -H "Authorization: Bearer $TOKEN" '${place.origin}/api/${apiPath(place).replaceAll("'", '%27')}'`;
}

function apiPath({ view, at, base, rules }: ViewPlace): string {
  if (view === 'changes' && base !== undefined) {
    const query = new URLSearchParams([
      ['a', formatAddress(base)],
      ['b', formatAddress(at)],
      ...(rules === undefined ? [] : rules.length === 0 ? [['ignore', '']] : rules.map((rule) => ['ignore', rule])),
    ]);
    return `diff?${query.toString()}`;
  }
  const part = view === 'meta' ? '' : view === 'raw' ? '/raw' : '/state';
  const narrow = new URLSearchParams({ task: at.task, ns: at.namespace ?? '' });
  return `stores/${at.store}/checkpoints/${idToSegment(at.id)}${part}?${narrow.toString()}`;
}

/** The call of the tool that hands out this checkpoint, as JSON-RPC. */
export function mcpCall({ at }: ViewPlace): string {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'checkpoint_load', arguments: { sessionId: at.task, checkpointId: at.id, store: at.store } },
  };
  return JSON.stringify(call, undefined, 2);
}
