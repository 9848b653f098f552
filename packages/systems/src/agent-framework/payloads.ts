/** Values that Python stored in a form of its own, as inert data: where, of which type, how large. Browser-safe. */
import { formatPath, memberOf, parseJson, stringOf, type JsonNode, type JsonObject } from '@checkpoint-inspector/core';
import { pickleGlobals } from './opcodes.ts';

export interface Payload {
  /** `$.state.when` */
  readonly path: string;
  readonly encoding: 'pickle' | 'legacy';
  /** `module:qualname` as stored beside the value. */
  readonly type: string;
  /** Of the pickle, or of the legacy value's JSON text. */
  readonly sizeBytes: number;
  /** Names in the pickle; absent where it is damaged, or in the legacy encoding. */
  readonly globals?: readonly string[];
}

interface Place {
  readonly node: JsonNode;
  readonly parent?: Place;
  readonly step?: string | number;
}

const LEGACY_MARKERS = ['__af_model__', '__af_dataclass__', '__af_pickled__'];

/** Every encoded value in a document, in its order; what lies inside one is not looked into. */
export function payloadsOf(text: string, root: JsonNode = parseJson(text)): readonly Payload[] {
  const found: Payload[] = [];
  const stack: Place[] = [{ node: root }];
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { node } = place;
    const payload = node.kind === 'object' ? payloadAt(text, node, place) : undefined;
    if (payload) found.push(payload);
    else stack.push(...childrenOf(place).toReversed());
  }
  return found;
}

function childrenOf(parent: Place): Place[] {
  const { node } = parent;
  if (node.kind === 'object') return node.members.map(({ key, value }) => ({ node: value, parent, step: key }));
  return node.kind === 'array' ? node.items.map((item, step) => ({ node: item, parent, step })) : [];
}

function payloadAt(text: string, node: JsonObject, place: Place): Payload | undefined {
  const string = (key: string): string | undefined => {
    const value = memberOf(node, key)?.value;
    return value?.kind === 'string' ? stringOf(text, value) : undefined;
  };
  const [pickled, type] = [string('__pickled__'), string('__type__')];
  if (pickled !== undefined && type !== undefined) {
    const bytes = base64Bytes(pickled);
    const globals = bytes && pickleGlobals(bytes);
    const sizeBytes = bytes?.length ?? pickled.length;
    return { path: pathOf(place), encoding: 'pickle', type, sizeBytes, ...(globals ? { globals } : {}) };
  }
  const marker = LEGACY_MARKERS.find((key) => string(key) !== undefined);
  const value = memberOf(node, 'value')?.value;
  if (marker === undefined || !value) return undefined;
  const sizeBytes = new TextEncoder().encode(text.slice(value.start, value.end)).length;
  return { path: pathOf(place), encoding: 'legacy', type: string(marker) ?? '', sizeBytes };
}

function pathOf(place: Place): string {
  const steps: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.step !== undefined; at = at.parent) steps.push(at.step);
  return formatPath(steps.reverse());
}

function base64Bytes(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const SAFE = new Set([
  ...['object', 'complex', 'range', 'slice', 'int', 'float', 'str', 'bytes', 'bytearray', 'bool', 'set', 'frozenset']
    .concat(['list', 'dict', 'tuple', 'type', 'getattr'])
    .map((name) => `builtins:${name}`),
  ...['datetime', 'date', 'time', 'timedelta', 'timezone'].map((name) => `datetime:${name}`),
  ...['OrderedDict', 'defaultdict', 'deque'].map((name) => `collections:${name}`),
  'copyreg:_reconstructor',
  'uuid:UUID',
  'decimal:Decimal',
]);
const SAFE_MODULE = /^(agent_framework|agent_framework_orchestrations|openai\.types)\.[^:]*:[^.]*$/;

/** The types that Agent Framework loads only where the application allows them (`allowed_checkpoint_types`). */
export function typesToAllow(payloads: readonly Payload[]): readonly string[] {
  const types = payloads
    .flatMap(({ globals = [] }) => globals)
    .filter((key) => !SAFE.has(key) && !SAFE_MODULE.test(key));
  return [...new Set(types)];
}
