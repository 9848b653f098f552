import { sourceOf, stringOf, type JsonNode, type JsonObject } from './node.ts';
import { parseJson } from './read.ts';
import { checkTexts } from './texts.ts';

/**
 * Equal as states: numbers by their text (1.0 is not 1), strings by code units after unescaping, white space and
 * the order of different keys ignored, the n-th duplicate of a key against the n-th. Works at any depth.
 * @throws InspectorError unreadable, unless the texts are identical | invalid_input (no text)
 * @example equalJson('{"a":1,"b":2}', '{ "b": 2, "a": 1 }') // true
 */
export function equalJson(textA: string, textB: string): boolean {
  checkTexts(textA, textB);
  return textA === textB || equalNodes(textA, parseJson(textA), textB, parseJson(textB));
}

/** As `equalJson`, for one value of each text. */
export function equalNodes(textA: string, rootA: JsonNode, textB: string, rootB: JsonNode): boolean {
  if (sourceOf(textA, rootA) === sourceOf(textB, rootB)) return true;
  const pairs: [JsonNode, JsonNode][] = [[rootA, rootB]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a.kind === 'object' && b.kind === 'object') {
      if (!pairMembers(a, b, pairs)) return false;
    } else if (a.kind === 'array' && b.kind === 'array') {
      if (!pairItems(a.items, b.items, pairs)) return false;
    } else if (a.kind !== b.kind || !equalScalars(textA, a, textB, b)) {
      return false;
    }
  }
  return true;
}

function equalScalars(textA: string, a: JsonNode, textB: string, b: JsonNode): boolean {
  if (sourceOf(textA, a) === sourceOf(textB, b)) return true;
  return a.kind === 'string' && stringOf(textA, a) === stringOf(textB, b);
}

function pairItems(a: readonly JsonNode[], b: readonly JsonNode[], pairs: [JsonNode, JsonNode][]): boolean {
  if (a.length !== b.length) return false;
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other) pairs.push([item, other]);
  }
  return true;
}

function pairMembers(a: JsonObject, b: JsonObject, pairs: [JsonNode, JsonNode][]): boolean {
  if (a.members.length !== b.members.length) return false;
  const sameOrder = a.members.every((member, index) => b.members[index]?.key === member.key);
  const others = sameOrder ? undefined : groupByKey(b);
  const used = new Map<string, number>();
  for (const [index, { key, value }] of a.members.entries()) {
    const nth = used.get(key) ?? 0;
    const other = others ? others.get(key)?.[nth] : b.members[index]?.value;
    if (other === undefined) return false;
    if (others) used.set(key, nth + 1);
    pairs.push([value, other]);
  }
  return true;
}

/** Every value of each key, in the text's order. */
export function groupByKey(object: JsonObject): Map<string, JsonNode[]> {
  const groups = new Map<string, JsonNode[]>();
  for (const { key, value } of object.members) {
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
