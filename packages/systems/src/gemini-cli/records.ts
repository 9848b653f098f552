/** The records of a chat as Gemini CLI's loader tells them apart, in its order of questions. */
import { isRecord, textIn, type Fields } from '../folder/view.ts';
import { valueIn } from '../log/index.ts';

/** One message of a line. */
export interface Message {
  readonly id: string;
  readonly fields: Fields;
}

/** Anything but a rewind may carry members of the session; some of them replace or add messages. */
export type ChatRecord =
  | { readonly kind: 'rewind'; readonly to: string }
  | { readonly kind: 'message'; readonly message: Message }
  | SessionRecord
  | { readonly kind: 'other' };

export interface SessionRecord {
  readonly kind: 'set' | 'header';
  readonly fields: Fields;
  readonly messages?: readonly Message[] | undefined;
}

/** @throws InspectorError unreadable */
export function readRecord(bytes: Uint8Array): ChatRecord {
  const root = valueIn(bytes);
  if (!isRecord(root)) return { kind: 'other' };
  const to = textIn(root, '$rewindTo');
  if (to !== undefined) return { kind: 'rewind', to };
  const [message] = messageIn(root);
  if (message) return { kind: 'message', message };
  const set = root['$set'];
  if (isRecord(set)) return sessionOf('set', set);
  const isHeader = ['sessionId', 'projectHash'].every((key) => textIn(root, key) !== undefined);
  return isHeader ? sessionOf('header', root) : { kind: 'other' };
}

function sessionOf(kind: SessionRecord['kind'], fields: Fields): SessionRecord {
  const { messages } = fields;
  return { kind, fields, messages: Array.isArray(messages) ? messages.flatMap(messageIn) : undefined };
}

/** None where it isn't one to the loader. */
function messageIn(value: unknown): Message[] {
  const id = isRecord(value) ? textIn(value, 'id') : undefined;
  return isRecord(value) && id !== undefined ? [{ id, fields: value }] : [];
}
