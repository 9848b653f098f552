import {
  addedEnvelopes,
  editWarnings,
  editedDocument,
  InspectorError,
  memberOf,
  sourceOf,
  type EditRequest,
  type JsonObject,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import type { Shape } from './document.ts';
import type { StoredFile } from './files.ts';

const MARKS = ['__pickled__', '__af_model__', '__af_dataclass__'];

/**
 * The edited document, still with the tokens that the save sets. Author and reason have no place in the format: the
 * receipt keeps them. @throws InspectorError invalid_input | unsupported (a pickled value that was not there) | too_large
 */
export function editOf(
  request: EditRequest,
  original: string,
  setBySave: readonly string[],
): { readonly text: string; readonly warnings: readonly PlanWarning[] } {
  const text = editedDocument(request.text, original);
  const [added] = addedEnvelopes(original, text, pickled);
  if (added) {
    throw new InspectorError(
      'unsupported',
      `The text has a pickled value at ${added.path} that the original does not have. Loading it would run what it holds.`,
      { data: { path: added.path }, remedy: 'Keep pickled values exactly as they are, or remove them.' },
    );
  }
  return { text, warnings: editWarnings(original, text, setBySave) };
}

/** The edited text has to be what the file was: the other forms are read by other rules. @throws InspectorError invalid_input */
export function assertSameShape({ facts, problem }: StoredFile, shape: Shape): void {
  if (facts?.shape === shape && !problem) return;
  const why = problem?.message ?? `It would be a document of another form (${facts?.shape}).`;
  throw new InspectorError('invalid_input', `The text is no checkpoint of this folder any more: ${why}`);
}

/** Pickles, and the dataclass forms of older versions, by all that they hold: a changed one counts as a new one. */
function pickled(text: string, object: JsonObject): string | undefined {
  if (!MARKS.some((key) => memberOf(object, key))) return undefined;
  return object.members.map(({ key, value }) => `${key}:${sourceOf(text, value)}`).join();
}
