/** A conversation as rows of a new session: new ids in the same order, and nothing else of the texts changed. */
import {
  InspectorError,
  memberOf,
  parseJson,
  patchJson,
  quoteJson,
  sourceOf,
  stringOf,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { recordOf } from '../folder/view.ts';
import { copiedId } from './ids.ts';
import { stateText, withIds } from './state.ts';

/** One message with its parts, as texts with their ids in them. */
export interface MessageSource {
  readonly info: string;
  readonly parts: readonly string[];
}

interface NewRow {
  readonly id: string;
  /** As the column keeps it: without the ids. */
  readonly data: string;
  /** In ms since 1970. */
  readonly time: number;
}

export interface NewMessage extends NewRow {
  readonly role: string;
  readonly parts: readonly (NewRow & { readonly isCall: boolean })[];
}

export interface Copy {
  readonly messages: readonly NewMessage[];
  /** As it will be read back. */
  readonly text: string;
  readonly cost: number;
  readonly tokens: Readonly<Record<'input' | 'output' | 'reasoning' | 'cache_read' | 'cache_write', number>>;
}

/** @throws InspectorError invalid_input for texts that opencode couldn't have written */
export function copyOf(sources: readonly MessageSource[], sessionId: string, sessionText: string): Copy {
  const ids = new Map<string, string>();
  const messages: NewMessage[] = [];
  let place = 0;
  for (const [at, { info, parts }] of sources.entries()) {
    const message = opened(info, `$.messages[${at}].info`);
    const id = copiedId('msg', message.id, at, message.time);
    ids.set(message.id, id);
    const rows = parts.map((text, partAt) => {
      const part = opened(text, `$.messages[${at}].parts[${partAt}]`);
      const data = dataOf(text, part.root, ['id', 'sessionID', 'messageID'], ids);
      const isCall = part.text('type') === 'tool';
      return { id: copiedId('prt', part.id, place++, message.time), data, time: message.time, isCall };
    });
    const data = dataOf(info, message.root, ['id', 'sessionID'], ids);
    messages.push({ id, data, time: message.time, role: message.text('role') ?? '', parts: rows });
  }
  const list = messages.map(({ id, data, parts }) => ({
    info: withIds(data, { id, sessionID: sessionId }),
    parts: parts.map((part) => withIds(part.data, { id: part.id, sessionID: sessionId, messageID: id })),
  }));
  return { messages, text: stateText(sessionText, list), ...totals(messages) };
}

/** The messages of an edited state, in an order that opencode would read them in. @throws InspectorError invalid_input */
export function messagesIn(text: string, root: JsonNode): readonly MessageSource[] {
  const list = root.kind === 'object' ? memberOf(root, 'messages')?.value : undefined;
  if (list?.kind !== 'array' || list.items.length === 0) {
    throw invalid('$.messages', 'must be a list of at least one message');
  }
  const sources = list.items.map((item, at): MessageSource => {
    const [info, parts] = ['info', 'parts'].map((key) =>
      item.kind === 'object' ? memberOf(item, key)?.value : undefined,
    );
    if (info?.kind !== 'object') throw invalid(`$.messages[${at}].info`, 'must be an object');
    if (parts?.kind !== 'array') throw invalid(`$.messages[${at}].parts`, 'must be a list');
    return { info: sourceOf(text, info), parts: parts.items.map((part) => sourceOf(text, part)) };
  });
  checkOrder(sources);
  return sources;
}

/** Messages go by time, then id, and parts by id. */
function checkOrder(sources: readonly MessageSource[]): void {
  let last: { readonly time: number; readonly id: string } | undefined;
  for (const [at, { info, parts }] of sources.entries()) {
    const message = opened(info, `$.messages[${at}].info`);
    const isAfter = !last || message.time > last.time || (message.time === last.time && message.id > last.id);
    if (!isAfter)
      throw invalid(`$.messages[${at}].info`, 'must be later than the message before: opencode sorts by time');
    last = message;
    const partIds = parts.map((part, partAt) => opened(part, `$.messages[${at}].parts[${partAt}]`).id);
    const wrong = partIds.findIndex((id, partAt) => partAt > 0 && id <= (partIds[partAt - 1] ?? ''));
    if (wrong !== -1) throw invalid(`$.messages[${at}].parts[${wrong}].id`, 'must sort after the part before');
  }
}

interface Opened {
  readonly root: JsonObject;
  readonly id: string;
  /** Of a message, when it was made. */
  readonly time: number;
  readonly text: (key: string) => string | undefined;
}

function opened(text: string, path: string): Opened {
  const root = parseJson(text);
  if (root.kind !== 'object') throw invalid(path, 'must be an object');
  const read = (key: string): string | undefined => {
    const value = memberOf(root, key)?.value;
    return value?.kind === 'string' ? stringOf(text, value) : undefined;
  };
  const id = read('id');
  if (id === undefined) throw invalid(`${path}.id`, 'must be a text');
  const times = memberOf(root, 'time')?.value;
  const created = times?.kind === 'object' ? memberOf(times, 'created')?.value : undefined;
  const time = created?.kind === 'number' ? Number(sourceOf(text, created)) : 0;
  return { root, id, time: Number.isSafeInteger(time) ? time : 0, text: read };
}

/** The text without its ids, and with what it says of other messages under their new ids. */
function dataOf(text: string, root: JsonObject, ids: readonly string[], renamed: ReadonlyMap<string, string>): string {
  const edits = ['parentID', 'tail_start_id'].flatMap((key) => {
    const value = memberOf(root, key)?.value;
    const to = value?.kind === 'string' ? renamed.get(stringOf(text, value)) : undefined;
    return to === undefined ? [] : [{ path: [key], text: quoteJson(to) }];
  });
  const patched = edits.length === 0 ? text : patchJson(text, edits);
  const again = edits.length === 0 ? root : parseJson(patched);
  const members = again.kind === 'object' ? again.members : [];
  const kept = members.filter(({ key }) => !ids.includes(key));
  return `{${kept.map(({ keyStart, value }) => patched.slice(keyStart, value.end)).join(',')}}`;
}

/** What the new session has cost so far: the sum of its answers, as opencode counts a fork. */
function totals(messages: readonly NewMessage[]): Pick<Copy, 'cost' | 'tokens'> {
  const tokens = { input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0 };
  let cost = 0;
  for (const { role, data } of messages) {
    if (role !== 'assistant') continue;
    const info = recordOf(JSON.parse(data));
    const used = recordOf(info['tokens']);
    const cache = recordOf(used['cache']);
    cost += numberOf(info['cost']);
    tokens.input += numberOf(used['input']);
    tokens.output += numberOf(used['output']);
    tokens.reasoning += numberOf(used['reasoning']);
    tokens.cache_read += numberOf(cache['read']);
    tokens.cache_write += numberOf(cache['write']);
  }
  return { cost, tokens };
}

const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

const invalid = (path: string, words: string): InspectorError =>
  new InspectorError('invalid_input', `${path} ${words}.`, { data: { path } });
