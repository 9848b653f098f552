import { memberOf, quoteJson, sourceOf, type JsonNode } from '@checkpoint-inspector/core';

export type Member = readonly [key: string, text: string];

/** An object of values as they were written. @example objectText([['a', '1.0']]) // '{"a":1.0}' */
export const objectText = (members: readonly Member[]): string =>
  `{${members.map(([key, text]) => `${quoteJson(key)}:${text}`).join(',')}}`;

/** The members of an object with these keys, in this order, as they were written. */
export function membersOf(text: string, node: JsonNode | undefined, keys: readonly string[]): readonly Member[] {
  if (node?.kind !== 'object') return [];
  return keys.flatMap((key): Member[] => {
    const member = memberOf(node, key);
    return member ? [[key, sourceOf(text, member.value)]] : [];
  });
}

/** What an object has by its keys, for many questions; among duplicate keys the last one. */
export function valuesByKey(node: JsonNode | undefined): ReadonlyMap<string, JsonNode> {
  return new Map(node?.kind === 'object' ? node.members.map(({ key, value }) => [key, value]) : []);
}
