import { InspectorError } from '../errors.ts';
import { patchJson, setMember } from '../json/patch.ts';
import { quoteJson, type JsonObject } from '../json/node.ts';
import { parseJson } from '../json/read.ts';
import { a } from './shape.ts';
import { asciiJson, placeOf, readEdit, type EditRules } from './text.ts';
import { formatPath } from '../json/path.ts';
import { nodesOf } from './walk.ts';

/**
 * The text of an edited document in the spelling of its file: in ASCII where the original is, as some of the systems
 * that read it decode files by the locale.
 * @throws InspectorError invalid_input (no JSON, or no object) | too_large
 */
export function editedDocument(text: string, original: string, rules: EditRules = {}): string {
  const root = readEdit(text, rules);
  if (root.kind === 'object') return isAscii(original) ? asciiJson(text) : text;
  throw new InspectorError(
    'invalid_input',
    `A checkpoint here must be a JSON object; the text contains ${a(root.kind)}.`,
    {
      data: { offset: root.start, ...placeOf(text, root.start) },
    },
  );
}

/**
 * Sets top-level texts of a document, in ASCII: replaces those that are there all at once, adds the others last.
 * @throws InspectorError unreadable | invalid_input
 */
export function setMembers(text: string, members: ReadonlyMap<string, string>): string {
  const root = parseJson(text);
  const known = root.kind === 'object' ? new Set(root.members.map(({ key }) => key)) : new Set<string>();
  const edits = [...members].map(([key, value]) => ({ path: [key], text: quoteJson(value, { ascii: true }) }));
  const patched = patchJson(
    text,
    edits.filter(({ path: [key = ''] }) => known.has(key)),
  );
  const added = edits.filter(({ path: [key = ''] }) => !known.has(key));
  return added.reduce((result, { path: [key = ''], text: value }) => setMember(result, [], key, value), patched);
}

function isAscii(text: string): boolean {
  // The control characters that JSON takes are ASCII too.
  return !/[\u0080-\uffff]/.test(text);
}

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
