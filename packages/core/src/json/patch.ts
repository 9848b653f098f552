import { InspectorError } from '../errors.ts';
import { memberOf, quoteJson, type JsonNode, type JsonObject } from './node.ts';
import { formatPath, valueAt, type Path } from './path.ts';
import { parseJson } from './read.ts';

export interface Edit {
  readonly path: Path;
  /** The new value as JSON text. */
  readonly text: string;
}

/**
 * Replaces the named values and leaves every other character as it is.
 * @throws InspectorError unreadable | invalid_input: no such path, a value that is not JSON, one edit inside another
 * @example patchJson('{"a": 1.0, "b": 2}', [{ path: ['b'], text: '3' }]) // '{"a": 1.0, "b": 3}'
 */
export function patchJson(text: string, edits: readonly Edit[]): string {
  const root = parseJson(text);
  const places = edits.map((edit) => ({ ...edit, node: nodeAt(text, root, edit.path) }));
  places.sort((a, b) => a.node.start - b.node.start);
  const out: string[] = [];
  let at = 0;
  for (const { node, path, text: value } of places) {
    if (node.start < at) throw new InspectorError('invalid_input', `Two edits overlap at ${formatPath(path)}.`);
    out.push(text.slice(at, node.start), checkedValue(value, path));
    at = node.end;
  }
  return out.join('') + text.slice(at);
}

const KINDS = {
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
} as const;

/**
 * Sets one member of the object at `objectPath`: replaces its value, or adds it last in the spacing of the text.
 * @throws InspectorError unreadable | invalid_input
 * @example setMember('{"a": 1}', [], 'b', '2') // '{"a": 1, "b": 2}'
 */
export function setMember(text: string, objectPath: Path, key: string, valueText: string): string {
  const root = parseJson(text);
  const object = nodeAt(text, root, objectPath);
  if (object.kind !== 'object') {
    throw new InspectorError('invalid_input', `${formatPath(objectPath)} isn't an object; it's ${KINDS[object.kind]}.`);
  }
  const path = [...objectPath, key];
  const value = checkedValue(valueText, path);
  const known = memberOf(object, key);
  if (known) return splice(text, known.value.start, known.value.end, value);
  const last = object.members.at(-1);
  const style = styleOf(text, last ? object : (anyObject(root) ?? object));
  const at = last ? last.value.end : object.start + 1;
  return splice(text, at, at, `${last ? style.comma : ''}${quoteJson(key)}${style.colon}${value}`);
}

/** How the members of `object` are set apart; Python's default spacing for an empty one. */
function styleOf(text: string, object: JsonObject): { comma: string; colon: string } {
  const last = object.members.at(-1);
  if (!last) return { comma: ', ', colon: ': ' };
  const colon = text.slice(last.keyEnd, last.value.start);
  const before = object.members.at(-2);
  if (before) return { comma: text.slice(before.value.end, last.keyStart), colon };
  // A lone member: its own lead shows indentation, else the colon's spacing tells the comma's.
  const lead = text.slice(object.start + 1, last.keyStart);
  return { comma: lead === '' && colon.endsWith(' ') ? ', ' : `,${lead}`, colon };
}

/** The first object with members, breadth first. */
function anyObject(root: JsonNode): JsonObject | undefined {
  const queue: JsonNode[] = [root];
  for (const node of queue) {
    if (node.kind === 'object' && node.members.length > 0) return node;
    if (node.kind === 'array') for (const item of node.items) queue.push(item);
  }
  return undefined;
}

function nodeAt(text: string, root: JsonNode, path: Path): JsonNode {
  const node = valueAt(text, root, path);
  if (node === undefined) throw new InspectorError('invalid_input', `There is no value at ${formatPath(path)}.`);
  return node;
}

function checkedValue(value: string, path: Path): string {
  try {
    parseJson(value);
    return value;
  } catch (cause) {
    throw new InspectorError('invalid_input', `The new value for ${formatPath(path)} is not JSON.`, { cause });
  }
}

function splice(text: string, from: number, to: number, insert: string): string {
  return text.slice(0, from) + insert + text.slice(to);
}
