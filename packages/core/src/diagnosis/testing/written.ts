/** Runs that a test writes as their states. */
import type { DiagnosedStep } from '../types.ts';

export type State = Readonly<Record<string, unknown>>;

/** The steps of a run whose last one failed. @example stepsOf([{ n: 1 }, { n: 2 }])[1]?.status // 'failed' */
export const stepsOf = (states: readonly State[]): DiagnosedStep[] =>
  states.map((state, at) => ({
    ref: { task: 'run', id: String(at + 1) },
    seq: at + 1,
    status: at === states.length - 1 ? 'failed' : 'completed',
    text: JSON.stringify(state),
  }));
