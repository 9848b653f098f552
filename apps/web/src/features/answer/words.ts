/** What the answer says, as plain text. Stored text is masked by whoever shows it. */
import { examinedWords, type Explanation, fromWhereTheyDiffer } from '@checkpoint-inspector/core';
import { formatCount, plural, previewJson, shownHead, stepNumber } from '../../lib/format.ts';
import type { Shown } from '../../lib/masking.ts';

export interface NamedStep {
  readonly seq: number;
  readonly stepIndex?: number | undefined;
  readonly description?: string | undefined;
}

const NAME_LENGTH = 48;

export const numberOf = ({ seq, stepIndex }: NamedStep): string =>
  stepNumber({ seq, ...(stepIndex === undefined ? {} : { stepIndex }) });

/** The name of a step without what came of it: `compile: totals differ` is the step `compile`. */
export function shortName({ description }: NamedStep, message = ''): string | undefined {
  const [, head = '', tail = ''] = /^([^:;,([{]{1,48})(?:[:;,([{]\s*(.*))?/s.exec(description ?? '') ?? [];
  const whole = (description ?? '').trim();
  if (whole === '' || (message !== '' && message.includes(whole))) return undefined;
  const isSaid = tail !== '' && message !== '' && (message.includes(tail) || tail.includes(message));
  return isSaid || whole.length > NAME_LENGTH ? head.trim() || undefined : whole;
}

export type Tone = 'failed' | 'check' | 'recovered';

/** A run with nothing wrong has no answer. */
export const isWrong = ({ outcome, error }: Explanation): boolean =>
  error !== undefined || outcome === 'failed' || outcome === 'check_failed';

export function toneOf({ outcome, recovered }: Explanation): Tone {
  if (recovered !== undefined) return 'recovered';
  return outcome === 'check_failed' ? 'check' : 'failed';
}

/** What failed: its name, else its number. A step that saved nothing ran after this one, whose name is not its own. */
export function whoFailed(
  step: NamedStep,
  node: string | undefined,
  message: string | undefined,
  isNext: boolean,
): string {
  if (node !== undefined) return node;
  if (isNext) return 'The next step';
  return shortName(step, message) ?? `Step ${step.stepIndex ?? step.seq}`;
}

/** @param who as `whoFailed` has it */
export function titleOf(tone: Tone, who: string, isCompleted: boolean): string {
  if (tone === 'check') return isCompleted ? 'Completed with a failed check' : 'A check failed';
  // Some programs name the step by what came of it.
  const what = who.replace(/(?:[-_ ]failed| \((?:error|failed)\))$/i, '');
  const title = /^failed\b/i.test(what) ? what : `${what} failed`;
  return tone === 'recovered' ? `${title}, then recovered` : title;
}

/** After the number and name of the last good checkpoint. */
export const backWords = ({ back }: NonNullable<Explanation['lastGood']>): string =>
  back === 0 ? 'where the failed step began' : `${plural(back, 'step')} back`;

/** What going back to the last good checkpoint costs. */
export const costWords = ({ back }: NonNullable<Explanation['lastGood']>): string =>
  back === 0 ? 'only the failed step would run again' : `${plural(back, 'step')} would be redone`;

/** How far the run was looked at, and what of it was not. */
export function lookedWords({ examined: { partial, ...examined } }: Explanation): readonly string[] {
  const { n, of } = examined;
  const soFar = partial === true ? [`Looked at ${formatCount(n)} of ${plural(of, 'step')}.`] : [];
  return [...soFar, ...examinedWords({ examined })];
}

/** `context.revenue.` and `CompanyB`; the whole state is `$`. */
export const pathWords = (path: string): string => path.replace(/^\$\.?(?=.)/, '');

/** A change of one value as an explanation has it: JSON text, maybe cut. */
export interface ChangedValue {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

const VALUE_LENGTH = 44;

/** Two values that begin alike would look the same: they are given from where they differ. */
export function valueHeads(change: ChangedValue, shown: Shown): readonly [old: string, now: string] {
  const { before = '', after = '', path } = change;
  if (before === after || Math.min(before.length, after.length) <= VALUE_LENGTH) {
    return [shownHead(shown, before, VALUE_LENGTH, path), shownHead(shown, after, VALUE_LENGTH, path)];
  }
  const [old, now] = fromWhereTheyDiffer(change, (text) => shown(text, path));
  return [previewJson(old, VALUE_LENGTH), previewJson(now, VALUE_LENGTH)];
}
