import { suspectsOf } from '../diagnose.ts';
import type { Suspect } from '../types.ts';
import { stepsOf, type State } from './written.ts';

export interface Row {
  readonly id: string;
  readonly [field: string]: unknown;
}

export const suspects = (states: readonly State[]): Suspect[] =>
  suspectsOf(stepsOf(states), { error: 'the import was refused' });
export const at = (suspect: Suspect | undefined): string => `${suspect?.seq} ${suspect?.kind} ${suspect?.path}`;
export const reasons = (found: readonly Suspect[]): string => found.flatMap((one) => one.reasons).join('\n');

/** Each step is told something of one row, and adds it. */
export function told(rows: readonly Row[], say: (row: Row) => unknown, write: (row: Row, nth: number) => Row): State[] {
  const messages: object[] = [];
  const written: Row[] = [];
  const states: State[] = [{ n: 0, messages: [], rows: [] }];
  for (const [nth, row] of rows.entries()) {
    messages.push({ role: 'tool', content: say(row) });
    written.push(write(row, nth));
    states.push({ n: nth + 1, messages: [...messages], rows: [...written] });
  }
  return [...states, { n: rows.length + 1, messages, rows: written }];
}

export const GRANTED = [47.35, 31.2, 58.9, 44.15, 39.75, 52.6, 36.45];
export const claims: Row[] = GRANTED.map((granted, nth) => ({
  id: `T-${nth + 11}`,
  claimed: granted + 5.1 + nth,
  granted,
}));
export const asked = ({ id, granted }: Row): Row => ({ id, refund: granted });
