/** What the views of states have in common. Pure functions over JSON values; browser-safe. */
import { fromJsonText } from '@checkpoint-inspector/core';

export type Fields = Readonly<Record<string, unknown>>;

export interface Message {
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** The role as it is stored. */
  readonly kind: string;
  /** The content where it is text, else its JSON. */
  readonly text: string;
}

/** Messages under the key that holds them. */
export interface Channel {
  readonly channel: string;
  readonly messages: readonly Message[];
}

/** A message of an object with a role and a content; `roles` are the spellings that the system knows. */
export function messageOf({ role, content }: Fields, roles: Readonly<Record<string, Message['role']>>): Message {
  const kind = typeof role === 'string' ? role : '';
  const known = Object.hasOwn(roles, kind) ? roles[kind] : undefined;
  return { role: known ?? 'other', kind, text: textOf(content) };
}

/** The members of a state; none where it is no object. @throws InspectorError unreadable */
export function fieldsOf(stateText: string): Fields {
  return recordOf(fromJsonText(stateText));
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

export function records(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** Text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value);
}

/** For the eye only; big whole numbers keep their digits. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)) ?? '';
}
