import { compact, refKey, type Suspect } from '@checkpoint-inspector/core';
import { sentValues } from '../sent-values.ts';
import type { Listed } from './branch.ts';
import type { DiagnosisStep, SentSuspect } from './types.ts';

export function stepOf({ ref, row }: Pick<Listed, 'ref' | 'row'>): DiagnosisStep {
  const { seq, stepIndex, description } = row;
  return { ref, seq, ...compact({ stepIndex, description }) };
}

export function sentSuspect(suspect: Suspect, steps: readonly Listed[]): SentSuspect {
  const key = refKey(suspect.ref);
  const stepIndex = steps.find(({ ref }) => refKey(ref) === key)?.row.stepIndex;
  return {
    ...sentValues(suspect),
    ...compact({ stepIndex }),
  };
}
