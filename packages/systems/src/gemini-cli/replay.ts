import {
  InspectorError,
  memberOf,
  parseJson,
  sourceOf,
  stringOf,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { joined, type Line, type Replay } from '../log/index.ts';
import { MessageIds } from './ids.ts';
import { readRecord, type ChatRecord } from './records.ts';

/** The members that the loader hands on, in its order; the messages are the last. */
export const FIELDS: readonly string[] = [
  'sessionId',
  'projectHash',
  'startTime',
  'lastUpdated',
  'summary',
  'memoryScratchpad',
  'directories',
  'kind',
];

/** The conversation that Gemini CLI would load from the lines so far. */
export class ChatReplay implements Replay {
  #fields = new Map<string, string>();
  #ids = new MessageIds();
  /** The stored text of each message. */
  #texts: string[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Ids with the stored text, in order. */
  get messages(): ReadonlyMap<string, string> {
    return new Map(this.#ids.list.map((id, at) => [id, this.#texts[at] ?? '']));
  }

  get fields(): ReadonlyMap<string, string> {
    return this.#fields;
  }

  copy(): ChatReplay {
    const copy = new ChatReplay();
    copy.#fields = new Map(this.#fields);
    copy.#ids = this.#ids.copy();
    copy.#texts = [...this.#texts];
    copy.#size = this.#size;
    return copy;
  }

  line({ bytes }: Pick<Line, 'bytes'>): void {
    const record = recordIn(bytes);
    if (record.kind === 'rewind') this.#rewind(record.to);
    else if (record.kind === 'message') this.#put(record.message.id, bytes.toString().trim());
    else if (record.kind !== 'other') this.#take(record.kind, bytes.toString());
  }

  text(): string {
    const fields = FIELDS.flatMap((key) => {
      const value = this.#fields.get(key);
      return value === undefined ? [] : [`"${key}":${value}`];
    });
    return joined(`{${[...fields, '"messages":['].join(',')}`, this.#texts, ']}');
  }

  /** What is from that message on is dropped; with an id that isn't there, everything is. */
  #rewind(to: string): void {
    this.#cut(this.#ids.placeOf(to) ?? 0);
  }

  #take(kind: 'set' | 'header', text: string): void {
    const session = sessionIn(kind, parseJson(text));
    if (!session) return;
    const list = memberOf(session, 'messages')?.value;
    const messages = list?.kind === 'array' ? list.items : undefined;
    if (kind === 'set' && messages) this.#cut(0);
    for (const message of messages ?? []) {
      const id = message.kind === 'object' ? memberOf(message, 'id')?.value : undefined;
      if (id?.kind === 'string') this.#put(stringOf(text, id), sourceOf(text, message));
    }
    for (const { key, value } of session.members)
      if (FIELDS.includes(key)) this.#fields.set(key, sourceOf(text, value));
  }

  #put(id: string, stored: string): void {
    const at = this.#ids.add(id);
    this.#size += stored.length - (this.#texts[at]?.length ?? 0);
    this.#texts[at] = stored;
  }

  #cut(length: number): void {
    this.#ids.cut(length);
    for (const text of this.#texts.splice(length)) this.#size -= text.length;
  }
}

function sessionIn(kind: 'set' | 'header', root: JsonNode): JsonObject | undefined {
  const session = kind === 'set' && root.kind === 'object' ? memberOf(root, '$set')?.value : root;
  return session?.kind === 'object' ? session : undefined;
}

function recordIn(bytes: Uint8Array): ChatRecord {
  try {
    return readRecord(bytes);
  } catch (error) {
    if (InspectorError.is(error)) return { kind: 'other' };
    throw error;
  }
}
