import type { WordChange } from '@checkpoint-inspector/core';

/** An equal run this short between two changes only makes the text harder to read. */
const SHORT = 8;

/**
 * Joins changes that only a short word or a space keeps apart: "follows with
 * 4.2" to "leads with 4200" reads as one change, not as two. What is removed
 * and what is added keep their own full text.
 */
export function joinedWords(changes: readonly WordChange[]): WordChange[] {
  const out: WordChange[] = [];
  let removed = '';
  let added = '';
  const flush = (): void => {
    if (removed !== '') out.push({ kind: 'removed', text: removed });
    if (added !== '') out.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  changes.forEach((change, index) => {
    if (change.kind === 'removed') removed += change.text;
    else if (change.kind === 'added') added += change.text;
    else if (index > 0 && index < changes.length - 1 && isShort(change.text) && removed !== '' && added !== '') {
      removed += change.text;
      added += change.text;
    } else {
      flush();
      out.push(change);
    }
  });
  flush();
  return out;
}

const isShort = (text: string): boolean =>
  text.length <= SHORT && !text.includes('\n') && (text.match(/\S+/g)?.length ?? 0) <= 1;
