/**
 * An edited state as Python's bytes. What is unchanged keeps its bytes; the module, class and method of a typed value
 * always come from the stored bytes, never from the text. What the text says must be what the bytes decode to.
 */
import {
  equalNodes,
  formatPath,
  InspectorError,
  memberOf,
  parseJson,
  quoteJson,
  sourceOf,
  stringOf,
  type JsonArray,
  type JsonNode,
  type JsonObject,
  type Path,
} from '@checkpoint-inspector/core';
import { MASKED } from './extension.ts';
import { arrayHead, extensionHead, mapHead, numberBytes, textBytes } from './heads.ts';
import { extensionAt, itemsOf, membersOf, type Span } from './members.ts';
import { msgpackToJson } from './read.ts';

const TYPE = '$type';
/** Of these, the fields are beside the name of the type, and any of them may be changed. */
const BY_FIELDS = new Set([2, 4, 5]);
/** Values that Python makes of a list, whatever is in it. */
const BY_LIST = new Set(['builtins.set', 'builtins.frozenset', 'collections.deque']);
const SEND = 'langgraph.types.Send';

/** What is written, and where it is in the state: for reasons. */
interface Written {
  readonly text: string;
  readonly node: JsonNode;
  readonly path: Path;
}

/**
 * The bytes that decode to this text, like the stored ones wherever both say the same. `path` is where they are in the
 * state, for reasons.
 * @throws InspectorError unsupported, with the path of what can't be written back exactly
 * @example rewritten(encode({ a: [1] }), '{"a":[1,2]}')
 */
export function rewritten(stored: Uint8Array, text: string, path: Path = []): Uint8Array {
  const node = parseJson(text);
  const bytes = written({ text, node, path }, stored);
  const back = msgpackToJson(bytes);
  if (equalNodes(back, parseJson(back), text, node)) return bytes;
  throw refused(path, 'its text has values that Python would read back differently');
}

/** `old`: the bytes of the value in whose place it is, where there is one. */
function written(value: Written, old: Uint8Array | undefined): Uint8Array {
  const { text, node, path } = value;
  const known = old && msgpackToJson(old);
  if (old && known !== undefined && equalNodes(known, parseJson(known), text, node)) return old;
  switch (node.kind) {
    case 'object':
      return objectBytes({ ...value, node }, old, known);
    case 'array':
      return arrayBytes({ ...value, node }, old);
    case 'string':
      return textBytes(stringOf(text, node));
    case 'number':
      return numberBytes(sourceOf(text, node)) ?? refuse(path, `${sourceOf(text, node)} is not how Python writes it`);
    default:
      return Uint8Array.of({ null: 0xc0, false: 0xc2, true: 0xc3 }[sourceOf(text, node)] ?? 0xc0);
  }
}

type Part<Node extends JsonNode> = Written & { readonly node: Node };

function objectBytes(value: Part<JsonObject>, old: Uint8Array | undefined, known: string | undefined): Uint8Array {
  const { node, path, text } = value;
  const type = memberOf(node, TYPE)?.value;
  if (type !== undefined) return typedBytes(value, stringOf(text, type), old, known);
  const isMap = old !== undefined && known?.startsWith('{') === true && !known.startsWith(`{"${TYPE}"`);
  const members = isMap ? membersOf(old) : new Map<string, Span>();
  const parts = node.members.flatMap(({ key, value: member }) => {
    const part = { text, node: member, path: [...path, key] };
    return [textBytes(key), written(part, at(old, members.get(quoteJson(key))))];
  });
  return Buffer.concat([mapHead(node.members.length), ...parts]);
}

/**
 * Each item in the place of the one before it; what moved within the list keeps its bytes, where it is like no other.
 * Secrets look alike: where the list got longer or shorter, it must be plain which one is meant.
 */
function arrayBytes({ text, node, path }: Part<JsonArray>, old: Uint8Array | undefined): Uint8Array {
  const known = old === undefined ? [] : itemsOf(old).map((span) => old.subarray(span.start, span.end));
  const texts = known.map((item) => msgpackToJson(item));
  const parts = node.items.map((item, index) => {
    const source = sourceOf(text, item);
    const same = texts.flatMap((other, n) => (other === source ? [n] : []));
    if (same.length !== 1 && known.length !== node.items.length && source.includes(MASKED)) {
      return refuse([...path, index], 'it is not plain which of the masked values is meant');
    }
    const place = same.includes(index) || same.length !== 1 ? index : (same[0] ?? index);
    return written({ text, node: item, path: [...path, index] }, known[place]);
  });
  return Buffer.concat([arrayHead(node.items.length), ...parts]);
}

/** A typed value in the place of one of the same type; there are no others. */
function typedBytes(
  value: Part<JsonObject>,
  type: string,
  old: Uint8Array | undefined,
  known: string | undefined,
): Uint8Array {
  const { path } = value;
  const extension = old && extensionAt(old);
  if (!old || !extension || typeIn(known) !== type) {
    return refuse(path, `it has a ${type} where the checkpoint has none`);
  }
  const body = old.subarray(extension.start, extension.end);
  const parts = itemsOf(body).map(({ start, end }) => body.subarray(start, end));
  const held = parts[2];
  const changed = held && heldBytes(value, type, extension.code, held);
  if (!changed) return refuse(path, `a ${type} can be copied or removed, not changed`);
  const next = Buffer.concat([arrayHead(parts.length), ...parts.slice(0, 2), changed, ...parts.slice(3)]);
  return Buffer.concat([extensionHead(extension.code, next.length), next]);
}

/** What the type is made of; `undefined` where Python might not be able to make it of something else. */
function heldBytes(value: Part<JsonObject>, type: string, code: number, held: Uint8Array): Uint8Array | undefined {
  const { node, text, path } = value;
  const members = node.members.filter(({ key }) => key !== TYPE);
  const only = members.length === 1 ? memberOf(node, 'value')?.value : undefined;
  if (BY_FIELDS.has(code) && msgpackToJson(held).startsWith('{')) {
    const known = membersOf(held);
    const parts = members.flatMap(({ key, value: member }) => [
      textBytes(key),
      written({ text, node: member, path: [...path, key] }, at(held, known.get(quoteJson(key)))),
    ]);
    return Buffer.concat([mapHead(members.length), ...parts]);
  }
  if (only?.kind === 'array' && BY_LIST.has(type))
    return arrayBytes({ text, node: only, path: [...path, 'value'] }, held);
  const arg = memberOf(node, 'arg')?.value;
  if (type !== SEND || arg === undefined) return undefined;
  const [name, known, ...more] = itemsOf(held).map(({ start, end }) => held.subarray(start, end));
  if (name === undefined || known === undefined) return undefined;
  const next = written({ text, node: arg, path: [...path, 'arg'] }, known);
  return Buffer.concat([arrayHead(2 + more.length), name, next, ...more]);
}

function typeIn(known: string | undefined): string | undefined {
  const root = known === undefined ? undefined : parseJson(known);
  const type = root?.kind === 'object' ? memberOf(root, TYPE)?.value : undefined;
  return type && stringOf(known ?? '', type);
}

function at(bytes: Uint8Array | undefined, span: Span | undefined): Uint8Array | undefined {
  return bytes && span && bytes.subarray(span.start, span.end);
}

function refuse(path: Path, why: string): never {
  throw refused(path, why);
}

function refused(path: Path, why: string): InspectorError {
  const at = formatPath(path);
  return new InspectorError(
    'unsupported',
    `This can't be written back exactly as Python's msgpack: at ${at}, ${why}.`,
    {
      data: { path: at },
      remedy: "Change it with the graph's own update_state.",
    },
  );
}
