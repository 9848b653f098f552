/** What the views of states have in common. Pure functions over JSON values; browser-safe. */
import { fromJsonText, type ChatMessage } from '@checkpoint-inspector/core';

export type Fields = Readonly<Record<string, unknown>>;

/** Messages under the key that holds them. */
export interface Channel {
  readonly channel: string;
  readonly messages: readonly ChatMessage[];
}

/** The members of a state; none where it is not an object. @throws InspectorError unreadable */
export function fieldsOf(stateText: string): Fields {
  return recordOf(fromJsonText(stateText));
}

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** A member that is a text. */
export function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' ? value : undefined;
}

/** A member that is a number, and not an infinite one. */
export function numberIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
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
