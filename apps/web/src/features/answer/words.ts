/** What the answer strip says, as plain text. Stored text is masked by whoever shows it. */
import { fromWhereTheyDiffer } from '@checkpoint-inspector/core';
import type { Diagnosis, Suspect } from '../../lib/api.ts';
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

/** A name in a sentence. A step may be called by what was asked of it, which is a sentence itself. */
export const quotedName = (name: string): string => (/\S\s+\S+\s+\S/.test(name) ? `“${name}”` : name);

export type Tone = 'failed' | 'check' | 'recovered';

export function toneOf({ error, recovered }: Diagnosis): Tone {
  if (recovered !== undefined) return 'recovered';
  return error?.from === 'state' ? 'check' : 'failed';
}

/** @param name of the step or the node that failed */
export function titleOf(diagnosis: Diagnosis | undefined, name: string | undefined, isCompleted: boolean): string {
  const tone = diagnosis === undefined ? 'failed' : toneOf(diagnosis);
  const who = name === undefined ? 'This step' : quotedName(name);
  if (tone === 'recovered') return `${who} failed, then recovered`;
  // Some programs name the phase by what came of it.
  if (tone === 'failed') return /\bfailed$/i.test(who) ? who : `${who} failed`;
  const isCheck = diagnosis?.error?.kind === 'check';
  if (isCompleted) return isCheck ? 'Completed with a failed check' : 'Completed, but its state reports an error';
  return isCheck ? 'A check failed' : 'The state reports an error';
}

/** After the number and name of the last good checkpoint. */
export function backWords({ back }: NonNullable<Diagnosis['lastGood']>): string {
  return back === 0 ? 'this checkpoint; the failed step was not saved' : `${plural(back, 'step')} back`;
}

export function holdsWords(holds: NonNullable<Diagnosis['lastGood']>['holds']): string | undefined {
  if (holds === undefined) return undefined;
  const [from, to] = [numberOf(holds.from), numberOf(holds.to)];
  return from === to
    ? `${from} did not fail but holds the suspect value.`
    : `${from} to ${to} did not fail but hold the suspect value.`;
}

/** What was not looked at. */
export function examinedWords({ examined: { gaps, outside = 0, n } }: Diagnosis): string | undefined {
  const [first] = gaps;
  const parts: string[] = [];
  if (first !== undefined && gaps.length === 1) {
    parts.push(`${numberOf({ seq: first.seq })} can't be read, so it was not examined.`);
  } else if (gaps.length > 1) {
    parts.push(`${formatCount(gaps.length)} checkpoints can't be read, so they were not examined.`);
  }
  if (outside > 0) parts.push(`Only the newest ${formatCount(n + gaps.length)} checkpoints were examined.`);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** `context.revenue.` and `CompanyB`; the whole state is `$`. */
export const pathWords = (path: string): string => path.replace(/^\$\.?(?=.)/, '');

export interface ChangeWords {
  readonly before?: string;
  readonly sign: string;
  readonly after?: string;
}

export function changeOf({ kind, before, after }: Suspect): ChangeWords {
  switch (kind) {
    case 'added':
      return { sign: '+', ...(after === undefined ? {} : { after }) };
    case 'removed':
      return { sign: '−', ...(before === undefined ? {} : { before }) };
    case 'unchanged':
      return { sign: 'stayed', ...(after === undefined ? {} : { after }) };
    default:
      return {
        sign: '→',
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
  }
}

const VALUE_LENGTH = 44;

/** Two values that begin alike would look the same: they are given from where they differ. */
export function valueHeads(suspect: Suspect, shown: Shown): readonly [old: string, now: string] {
  const { before = '', after = '', path } = suspect;
  if (before === after || Math.min(before.length, after.length) <= VALUE_LENGTH) {
    return [shownHead(shown, before, VALUE_LENGTH, path), shownHead(shown, after, VALUE_LENGTH, path)];
  }
  const [old, now] = fromWhereTheyDiffer(suspect, (text) => shown(text, path));
  return [previewJson(old, VALUE_LENGTH), previewJson(now, VALUE_LENGTH)];
}
