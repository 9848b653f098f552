/** The checkpoint that an edit makes, as `updateState` would write it: pure text, nothing is revived. */
import {
  addedEnvelopes,
  equalNodes,
  InspectorError,
  memberOf,
  parseJson,
  patchJson,
  quoteJson,
  setMember,
  sourceOf,
  stringOf,
  type EditRequest,
  type JsonEdit,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { EDIT_REASON, EDITED_BY, EDITED_FROM } from './metadata.ts';
import { parseCheckpoint } from './payload.ts';

/** What is in front of a changed checkpoint. */
export interface Stamp {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly ts: string;
}

/** Channels whose value differs, appears or goes, in the order of the texts. */
export function changedChannels(before: string, after: string): readonly string[] {
  const [old, now] = [objectIn(before), objectIn(after)];
  const keys = new Set([...old.members, ...now.members].map(({ key }) => key));
  return [...keys].filter((key) => {
    const [was, is] = [memberOf(old, key)?.value, memberOf(now, key)?.value];
    return was && is ? !equalNodes(before, was, after, is) : was !== is;
  });
}

/**
 * The text with other channel values. Changed channels get the version after the greatest one, as LangGraph gives it to
 * what a step has written: nodes that they trigger have not seen it yet.
 * @throws InspectorError unsupported where there is no a `channel_versions`
 */
export function editedCheckpoint(text: string, values: string, changed: readonly string[], stamp: Stamp): string {
  const { root } = parseCheckpoint(text);
  return patchJson(text, [...stampEdits(text, root, changed, stamp), { path: ['channel_values'], text: values }]);
}

/** The same beside the values. `used` is the greatest version elsewhere that no channel may get again. */
export function stampEdits(
  text: string,
  root: JsonObject,
  changed: readonly string[],
  { id, ts, used = 0n }: Stamp & { readonly used?: bigint },
): JsonEdit[] {
  const versions = memberOf(root, 'channel_versions')?.value;
  if (versions?.kind !== 'object') {
    throw new InspectorError(
      'unsupported',
      'This checkpoint has no channel versions, so LangGraph would not see the edit.',
    );
  }
  const next = nextVersion(text, versions, used);
  const bumped = changed.reduce((json, channel) => setMember(json, [], channel, next), sourceOf(text, versions));
  return [
    { path: ['id'], text: quoteJson(id) },
    { path: ['ts'], text: quoteJson(ts) },
    { path: ['channel_versions'], text: bumped },
    ...updatedChannels(text, memberOf(root, 'updated_channels')?.value, changed),
  ];
}

/** Who edited what, and why; LangGraph ignores keys that it does not know. */
export function editedMetadata(text: string, request: EditRequest, step: number): string {
  const { ref, author, reason } = request;
  const marks = {
    source: '"update"',
    step: String(step),
    [EDITED_FROM]: quoteJson(ref.id),
    [EDITED_BY]: author === undefined ? undefined : quoteJson(author),
    [EDIT_REASON]: reason === undefined ? undefined : quoteJson(reason),
  };
  let result = text;
  for (const [key, value] of Object.entries(marks)) {
    const stands = value ?? (memberOf(objectIn(result), key) ? 'null' : undefined);
    if (stands !== undefined) result = setMember(result, [], key, stands);
  }
  return result;
}

/** @throws InspectorError unsupported: an agent would build what the envelope names when it loads the row */
export function refuseEnvelopes(before: string, after: string): void {
  const [added] = addedEnvelopes(before, after, envelopeName);
  if (!added) return;
  throw new InspectorError(
    'unsupported',
    `The text has an object at ${added.path} that LangChain would construct on loading, of a kind this checkpoint doesn't have.`,
    {
      data: { path: added.path },
      remedy: 'Objects with "lc" can be changed or copied within this state. Let the graph itself add new kinds.',
    },
  );
}

/** What JavaScript's saver writes for values that JSON does not have; it builds no other classes. */
const PLAIN_CLASSES = new Set(['Set', 'Map', 'RegExp', 'Error', 'Uint8Array']);

/** Messages by their class: their fields may be edited. Anything that Python would look up and call, by all that it holds. */
function envelopeName(text: string, object: JsonObject): string | undefined {
  const lc = memberOf(object, 'lc')?.value;
  if (lc?.kind !== 'number') return undefined;
  const id = memberOf(object, 'id')?.value;
  const path = id?.kind === 'array' ? id.items.map((item) => stringOf(text, item)) : [];
  const type = memberOf(object, 'type')?.value;
  const name = [sourceOf(text, lc), type && stringOf(text, type), ...path].join(' ');
  const isOpen =
    sourceOf(text, lc) === '2' && path.length > 0 && !(path.length === 1 && PLAIN_CLASSES.has(path[0] ?? ''));
  return isOpen ? `${name} ${sourceOf(text, object)}` : name;
}

/** Integers in JavaScript; in Python texts that begin with one. */
function nextVersion(text: string, versions: JsonObject, used: bigint): string {
  const stored = versions.members.map(({ value }) => ({ value, words: stringOf(text, value) }));
  const numbers = stored.map(({ words }) => BigInt(/^\d+/.exec(words)?.[0] ?? 0));
  const next = numbers.reduce((most, number) => (number > most ? number : most), used) + 1n;
  const isText = stored.some(({ value }) => value.kind === 'string');
  return isText ? `"${String(next).padStart(32, '0')}.${Math.random().toFixed(16)}"` : String(next);
}

/** Python keeps the list of what was written last. */
function updatedChannels(text: string, node: JsonNode | undefined, changed: readonly string[]) {
  if (node?.kind !== 'array') return [];
  const known = node.items.map((item) => stringOf(text, item));
  const all = [...new Set([...known, ...changed])].map((name) => quoteJson(name));
  return [{ path: ['updated_channels'], text: `[${all.join(', ')}]` }];
}

function objectIn(text: string): JsonObject {
  const root = parseJson(text);
  if (root.kind === 'object') return root;
  throw new InspectorError(
    'invalid_input',
    `The channel values must be a JSON object; the text contains ${root.kind}.`,
  );
}
