/** From the few values that an agent wants changed to the whole text of an edit. */
import {
  applyDifferences,
  equalJson,
  InspectorError,
  MASK_DOTS,
  parseJson,
  parsePath,
  patchJson,
  setMember,
  sourceOf,
  toJsonText,
  valueAt,
  type Difference,
  type JsonNode,
} from '@checkpoint-inspector/core';

/** A value to set, or to remove. */
export interface ProposedEdit {
  /** `$.a["b"][0]` */
  readonly path: string;
  /** Any JSON value; absent: the value is removed. */
  readonly value?: unknown;
}

/**
 * The stored text with these values changed; every other value keeps its text.
 * @throws InspectorError invalid_input: a path that leads nowhere, a masked value, or nothing that changes
 * @example editedText('{"a":1.0,"b":2}', [{ path: '$.b', value: 3 }]) // { text: '{"a":1.0,"b":3}', changes: [{ path: '$.b', … }] }
 */
export function editedText(
  text: string,
  edits: readonly ProposedEdit[],
): { readonly text: string; readonly changes: readonly Difference[] } {
  const root = parseJson(text);
  const changes = edits.map((edit) => changeOf(text, root, edit));
  const [replaced, others] = [changes.filter(isReplaced), changes.filter((change) => !isReplaced(change))];
  const patched = patchJson(
    text,
    replaced.map(({ path, after }) => ({ path: parsePath(path), text: after })),
  );
  const removed = others.filter(({ kind }) => kind === 'removed');
  const added = others.filter(({ kind }) => kind === 'added');
  // What is removed is looked up in the old state, so it goes before anything is added.
  const rest = removed.length === 0 ? patched : applyDifferences(patched, removed);
  const made = added.reduce(withMember, rest);
  if (equalJson(made, text)) throw new InspectorError('invalid_input', 'These edits change nothing.');
  return { text: made, changes };
}

function changeOf(text: string, root: JsonNode, { path, value }: ProposedEdit): Difference {
  const node = valueAt(text, root, parsePath(path));
  const before = node && sourceOf(text, node);
  if (value === undefined) {
    if (before === undefined) throw new InspectorError('invalid_input', `There is no value at ${path} to remove.`);
    return { path, kind: 'removed', before };
  }
  const after = toJsonText(value);
  if (after.includes(MASK_DOTS)) throw masked(path);
  return before === undefined ? { path, kind: 'added', after } : { path, kind: 'changed', before, after };
}

const isReplaced = (change: Difference): change is Difference & { readonly after: string } =>
  change.kind === 'changed' && change.after !== undefined;

function withMember(text: string, { path, after = 'null' }: Difference): string {
  const steps = parsePath(path);
  const key = steps.at(-1);
  if (typeof key === 'string') return setMember(text, steps.slice(0, -1), key, after);
  throw new InspectorError('invalid_input', `There is no value at ${path}.`, {
    remedy: 'Set the whole list instead.',
  });
}

function masked(path: string): InspectorError {
  return new InspectorError('invalid_input', `The new value for ${path} contains a masked secret.`, {
    remedy: 'Edit the values around it: the dots would replace the real secret.',
  });
}
