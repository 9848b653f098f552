/** LangChain's JSON envelopes, read as data: nothing is looked up, called or made from what they name. Browser-safe. */
import { isRecord } from '../folder/view.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message of any spelling: `{"lc":1,"type":"constructor","id":[…,"AIMessage"],"kwargs":{…}}` or `{"role"|"type":…,"content":…}`. */
export interface MessageFields {
  /** `HumanMessage`, `ai`, `user`, …: as stored. */
  readonly kind: string;
  readonly fields: Fields;
}

/** The message in a value, or `undefined` for anything else. */
export function messageFields(value: unknown): MessageFields | undefined {
  if (!isRecord(value)) return undefined;
  if (value['lc'] === 1 && value['type'] === 'constructor' && Array.isArray(value['id']) && isRecord(value['kwargs'])) {
    const path: readonly unknown[] = value['id'];
    const name = path.at(-1);
    return path.includes('messages') && typeof name === 'string' ? { kind: name, fields: value['kwargs'] } : undefined;
  }
  const kind = typeof value['role'] === 'string' ? value['role'] : value['type'];
  if (typeof kind !== 'string') return undefined;
  return 'content' in value || kind === 'remove' ? { kind, fields: value } : undefined;
}

export function messageId(message: MessageFields): string | undefined {
  const id = message.fields['id'];
  return typeof id === 'string' ? id : undefined;
}

export function isRemoval(message: MessageFields): boolean {
  return message.kind === 'RemoveMessage' || message.kind === 'remove';
}

/** The id that removes all messages before it. */
export const REMOVE_ALL = '__remove_all__';
