import { InspectorError, nearest } from '@checkpoint-inspector/core';

/** So many names are compared, and so many told. */
const COMPARED = 1_000;
const TOLD = 3;

/**
 * The refusal of a task that is in none of the stores that were asked, with the names that were probably meant.
 * @example throw noTask('reprot', ['report', 'review']) // remedy: Did you mean "report"?
 */
export function noTask(task: string, names: readonly string[], store?: string): InspectorError {
  const where = store === undefined ? 'the open stores' : `store "${store}"`;
  const near = nearNames(task, names);
  return new InspectorError('not_found', `No task "${task}" in ${where}.`, {
    data: { task, ...(near.length === 0 ? {} : { near }) },
    ...(near.length === 0 ? {} : { remedy: `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?` }),
  });
}

/** Names that contain the word; else the one with the fewest edits, if those are few. */
function nearNames(word: string, names: readonly string[]): readonly string[] {
  const known = [...new Set(names.slice(0, COMPARED))];
  const low = word.toLowerCase();
  const alike = low === '' ? [] : known.filter((name) => name.toLowerCase().includes(low));
  if (alike.length > 0) return alike.slice(0, TOLD);
  const best = nearest(word, known.filter(hasLengthOf(word)), Math.max(1, Math.floor(word.length / 3)));
  return best === undefined ? [] : [best];
}

/** Edits are counted only where they may be few: the count takes the product of both lengths. */
const hasLengthOf =
  ({ length }: string) =>
  (name: string): boolean =>
    Math.abs(name.length - length) <= length / 3 && name.length <= 200;
