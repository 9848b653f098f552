import { memberOf, sourceOf, stringOf, type JsonNode } from '../json/node.ts';

export const child = (node: JsonNode, key: string): JsonNode | undefined =>
  node.kind === 'object' ? memberOf(node, key)?.value : undefined;

export function stringIn(text: string, node: JsonNode, key: string): string | undefined {
  const value = child(node, key);
  return value?.kind === 'string' ? stringOf(text, value) : undefined;
}

/** A string without its quotes, anything else as it is in the text. */
export const plain = (text: string, node: JsonNode): string =>
  node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);

/** The value under its key; nothing where there is none. */
export const given = <K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
