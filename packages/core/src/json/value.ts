import { sourceOf, stringOf, type JsonNode } from './node.ts';
import { parseJson } from './read.ts';

type Container = unknown[] | Record<string, unknown>;
interface Task {
  readonly node: JsonNode;
  readonly into: Container;
  readonly key: string | number;
}

/**
 * Plain values, at any depth; nothing is revived. A whole number that a double cannot hold becomes a bigint, any
 * other number the nearest double (1e400 is Infinity). Among duplicate keys the last one wins; an own `__proto__`
 * key stays an ordinary property.
 * @throws InspectorError unreadable
 * @example fromJsonText('{"a":12345678901234567890}') // { a: 12345678901234567890n }
 */
export function fromJsonText(text: string): unknown {
  const holder: unknown[] = [];
  const tasks: Task[] = [{ node: parseJson(text), into: holder, key: 0 }];
  for (let task = tasks.pop(); task; task = tasks.pop()) put(task, valueOf(text, task.node, tasks));
  return holder[0];
}

/** A container comes back empty; its children are put on `tasks`. */
function valueOf(text: string, node: JsonNode, tasks: Task[]): unknown {
  if (node.kind === 'array') {
    const into: unknown[] = Array.from({ length: node.items.length });
    node.items.forEach((item, key) => tasks.push({ node: item, into, key }));
    return into;
  }
  if (node.kind === 'object') {
    const into: Record<string, unknown> = {};
    // Keys are in the text's order from the start, and the last duplicate is put last.
    for (const { key } of node.members) define(into, key, undefined);
    for (const { key, value } of node.members.toReversed()) tasks.push({ node: value, into, key });
    return into;
  }
  if (node.kind === 'string') return stringOf(text, node);
  if (node.kind === 'number') return numberOf(sourceOf(text, node));
  return node.kind === 'null' ? null : text[node.start] === 't';
}

function numberOf(source: string): number | bigint {
  const value = Number(source);
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(source)) return value;
  const exact = BigInt(source);
  return Number.isFinite(value) && BigInt(value) === exact ? value : exact;
}

function put({ into, key }: Task, value: unknown): void {
  if (Array.isArray(into)) into[Number(key)] = value;
  else define(into, String(key), value);
}

/** Assigning `__proto__` would change the prototype instead. */
function define(into: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') into[key] = value;
  else Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}
