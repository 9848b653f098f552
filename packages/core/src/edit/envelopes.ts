import type { JsonObject } from '../json/node.ts';
import { formatPath } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { nodesOf } from './walk.ts';

/** Names an object that a system's loader turns into something else than data; `undefined` for plain data. */
export type EnvelopeName = (text: string, object: JsonObject) => string | undefined;

export interface AddedEnvelope {
  readonly name: string;
  /** As text: `$.messages[0]`. */
  readonly path: string;
}

/**
 * Envelopes of `after` whose name `before` does not hold anywhere: an edit must never plant one, because an agent's
 * loader would build, import or unpickle what it names.
 * @throws InspectorError unreadable
 */
export function addedEnvelopes(before: string, after: string, nameOf: EnvelopeName): readonly AddedEnvelope[] {
  const known = new Set(envelopes(before, nameOf).map(({ name }) => name));
  return envelopes(after, nameOf).filter(({ name }) => !known.has(name));
}

function envelopes(text: string, nameOf: EnvelopeName): AddedEnvelope[] {
  const found: AddedEnvelope[] = [];
  for (const { node, path } of nodesOf(parseJson(text))) {
    const name = node.kind === 'object' ? nameOf(text, node) : undefined;
    if (name !== undefined) found.push({ name, path: formatPath(path()) });
  }
  return found;
}
