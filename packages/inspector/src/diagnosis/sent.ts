import { compact, refKey, type Suspect } from '@checkpoint-inspector/core';
import type { Listed } from './branch.ts';
import type { DiagnosisStep, SentSuspect } from './types.ts';

/** Characters of a value that a suspect carries. */
export const VALUE_SENT = 2_000;

export function stepOf({ ref, row }: Pick<Listed, 'ref' | 'row'>): DiagnosisStep {
  const { seq, stepIndex, description } = row;
  return { ref, seq, ...compact({ stepIndex, description }) };
}

export function sentSuspect(suspect: Suspect, steps: readonly Listed[]): SentSuspect {
  const { before, after, ...rest } = suspect;
  const key = refKey(suspect.ref);
  const stepIndex = steps.find(({ ref }) => refKey(ref) === key)?.row.stepIndex;
  return {
    ...rest,
    ...compact({ stepIndex }),
    ...(before === undefined ? {} : cut(before, 'before')),
    ...(after === undefined ? {} : cut(after, 'after')),
  };
}

function cut(text: string, side: 'before' | 'after') {
  if (text.length <= VALUE_SENT) return { [side]: text };
  return { [side]: wholeWords(text.slice(0, VALUE_SENT)), [`${side}Length`]: text.length };
}

/** Half a secret has no shape and would not be masked: the last word, which may go on, is left out. */
function wholeWords(text: string): string {
  return text.slice(0, text.search(/[^\s"',;]*$/));
}
