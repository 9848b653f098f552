/** Lines for a chat: what takes it to a state, and a copy of it under another id. */
import {
  InspectorError,
  memberOf,
  parseJson,
  patchJson,
  quoteJson,
  sourceOf,
  type JsonNode,
} from '@checkpoint-inspector/core';
import { LineSplitter } from '../log/lines.ts';
import type { Line, Mark } from '../log/index.ts';
import { ChatOutline } from './outline.ts';
import { readRecord } from './records.ts';
import { ChatReplay } from './replay.ts';

/** What Gemini CLI makes of some lines. */
export interface Loaded {
  readonly chat: ChatReplay;
  readonly marks: readonly Mark[];
}

export function load(bytes: Uint8Array, session: string): Loaded {
  const marks: Mark[] = [];
  const outline = new ChatOutline((mark) => marks.push(mark), session);
  const chat = new ChatReplay();
  const splitter = new LineSplitter(0, (line) => {
    outline.line(line);
    chat.line(line);
  });
  splitter.push(Buffer.from(bytes));
  splitter.end();
  return { chat, marks: [...marks, ...outline.open()] };
}

/** The text of a record may have line breaks between its values, never inside a string. */
export const inOneLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ').trim();

/**
 * The one record after which exactly these messages are left: a rewind, where the list of now only has more behind
 * them; else the whole list, as Gemini CLI itself writes it when a session is resumed.
 */
export function recordTo(wanted: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>, at: Date): string {
  const list = [...now];
  const next = list.at(wanted.size);
  const isBefore = [...wanted].every(([id, text], index) => {
    const [nowId, nowText] = list[index] ?? [];
    return id === nowId && text === nowText;
  });
  if (isBefore && next) return `{"$rewindTo":${quoteJson(next[0])}}`;
  return recordOf([...wanted.values()], new Map(), at);
}

/** A record that replaces the messages, and members of the session with them. */
export function recordOf(messages: readonly string[], fields: ReadonlyMap<string, string>, at: Date): string {
  const members = [...fields]
    .filter(([key]) => key !== 'lastUpdated')
    .map(([key, text]) => `,${quoteJson(key)}:${inOneLine(text)}`);
  return `{"$set":{"messages":[${messages.map(inOneLine).join(',')}],"lastUpdated":"${at.toISOString()}"${members.join('')}}}`;
}

/** Behind a line without its end the record would be lost together with it. */
export function appended(bytes: Uint8Array, record: string): Buffer {
  const isOpen = bytes.length > 0 && bytes.at(-1) !== 0x0a;
  return Buffer.from(`${isOpen ? '\n' : ''}${record}\n`);
}

/** A line of a copy: as it was, but for the id of its session. */
export function copiedLine({ bytes }: Line, session: string): Buffer {
  const text = bytes.toString();
  const path = sessionPath(bytes);
  if (!path) return Buffer.concat([bytes, Buffer.from('\n')]);
  return Buffer.from(`${patchJson(text, [{ path, text: quoteJson(session) }])}\n`);
}

function sessionPath(bytes: Uint8Array): readonly string[] | undefined {
  try {
    const record = readRecord(bytes);
    if (!('fields' in record) || !Object.hasOwn(record.fields, 'sessionId')) return undefined;
    return record.kind === 'set' ? ['$set', 'sessionId'] : ['sessionId'];
  } catch {
    return undefined;
  }
}

/** Messages of an edited state. @throws InspectorError invalid_input where Gemini CLI would drop or merge some */
export function messagesOf(text: string): readonly string[] {
  const root = parseJson(text);
  const list = root.kind === 'object' ? memberOf(root, 'messages')?.value : undefined;
  if (list?.kind !== 'array') throw refused('The messages must be a list.', root);
  const ids = new Set<string>();
  for (const item of list.items) {
    const record = readRecord(Buffer.from(sourceOf(text, item)));
    if (record.kind !== 'message') throw refused('Each message needs an id that is a text.', item);
    if (ids.has(record.message.id)) throw refused(`Two messages have the id "${record.message.id}".`, item);
    ids.add(record.message.id);
  }
  return list.items.map((item) => sourceOf(text, item));
}

function refused(message: string, { start }: JsonNode): InspectorError {
  return new InspectorError('invalid_input', message, { data: { offset: start } });
}
