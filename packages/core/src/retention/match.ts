/** Which rows a policy names, before anything is protected. */
import { compact } from '../compact.ts';
import { InspectorError } from '../errors.ts';
import type { CheckpointMeta, CheckpointStatus } from '../model.ts';

/** Which checkpoints may go: all conditions that are given must hold. At least one is given. */
export interface RetentionPolicy {
  /** Saved more than so many days ago; a checkpoint without a time stays. */
  readonly olderThanDays?: number;
  /** Not among the newest so many in resume order. */
  readonly beyondNewest?: number;
  /** Only with one of these statuses. */
  readonly status?: readonly CheckpointStatus[];
  /** Only where id or description holds this text, case-insensitive. */
  readonly text?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A time without a zone may be as much later than it reads as UTC: the clock on UTC-12. */
const ZONE_MS = 12 * 60 * 60 * 1000;
const WALL_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)/;

/** What was given instead; NaN is what a form reads of a field that says something else. */
const notThe = (value: number): string => (Number.isNaN(value) ? '' : `, not ${value}`);

/**
 * A policy that names something.
 * @throws InspectorError invalid_input: no condition, or one that is not a number of days or checkpoints
 */
export function checkedPolicy({ olderThanDays, beyondNewest, status, text }: RetentionPolicy): RetentionPolicy {
  if (olderThanDays !== undefined && !(Number.isFinite(olderThanDays) && olderThanDays >= 0))
    throw refused(`The age must be 0 or more days${notThe(olderThanDays)}.`);
  if (beyondNewest !== undefined && !(Number.isInteger(beyondNewest) && beyondNewest >= 0))
    throw refused(`The number of checkpoints to keep must be a whole number${notThe(beyondNewest)}.`);
  const policy = compact({
    olderThanDays,
    beyondNewest,
    status: status?.length === 0 ? undefined : status,
    text: text?.trim() || undefined,
  });
  if (Object.keys(policy).length === 0) throw refused('The policy has no conditions.');
  return policy;
}

function refused(message: string): InspectorError {
  return new InspectorError('invalid_input', message, {
    remedy: 'Set at least one: an age in days, how many of the newest to keep, a status, or a text.',
  });
}

/** @example policyText({ olderThanDays: 30, beyondNewest: 10 }) // 'older than 30 days and not among the newest 10' */
export function policyText({ olderThanDays, beyondNewest, status, text }: RetentionPolicy): string {
  const parts = [
    olderThanDays === undefined ? '' : `older than ${counted(olderThanDays * DAY_MS, unitOf(olderThanDays * DAY_MS))}`,
    beyondNewest === undefined ? '' : `not among the newest ${beyondNewest}`,
    status === undefined || status.length === 0 ? '' : status.join(' or '),
    text === undefined || text === '' ? '' : `with "${text}" in the id or description`,
  ];
  return parts.filter((part) => part !== '').join(' and ');
}

/**
 * At least how old a row is, in milliseconds. A time without its zone counts as the latest it can mean, so that no
 * clock makes a row look older than it is. `undefined` where no time is known.
 */
export function ageOf(row: CheckpointMeta, now: Date): number | undefined {
  const latest = row.createdAt === undefined ? latestMeaning(row) : Date.parse(row.createdAt);
  return latest === undefined || Number.isNaN(latest) ? undefined : now.getTime() - latest;
}

function latestMeaning({ timeBasis, createdAtText }: CheckpointMeta): number | undefined {
  const [, day, time] = timeBasis === 'local' ? (WALL_TIME.exec(createdAtText ?? '') ?? []) : [];
  return day === undefined ? undefined : Date.parse(`${day}T${time}Z`) + ZONE_MS;
}

/** Why the policy names this row, in words; `undefined` where it does not. `rank` 0 is the newest in resume order. */
export function matchReason(row: CheckpointMeta, rank: number, policy: RetentionPolicy, now: Date): string | undefined {
  const { olderThanDays, beyondNewest, status, text } = policy;
  const reasons: string[] = [];
  if (olderThanDays !== undefined) {
    const age = ageOf(row, now);
    const least = olderThanDays * DAY_MS;
    if (age === undefined || age <= least) return undefined;
    reasons.push(ageText(age, least));
  }
  if (beyondNewest !== undefined) {
    if (rank < beyondNewest) return undefined;
    reasons.push(`not among the newest ${beyondNewest}`);
  }
  if (status !== undefined) {
    if (!status.includes(row.status)) return undefined;
    reasons.push(row.status);
  }
  if (text !== undefined) {
    const wanted = text.toLowerCase();
    if (![row.id, row.description ?? ''].some((field) => field.toLowerCase().includes(wanted))) return undefined;
    reasons.push(`with "${text}"`);
  }
  return reasons.join(', ');
}

type Unit = readonly [milliseconds: number, name: string];

const UNITS: readonly Unit[] = [
  [DAY_MS, 'day'],
  [60 * 60 * 1000, 'hour'],
  [60 * 1000, 'minute'],
];
const SECONDS: Unit = [1000, 'second'];

/** The largest one in which the time is a whole number; a number of days such as 1/12 is not exact. */
const unitOf = (time: number): Unit => UNITS.find(([unit]) => time % unit < 1 || unit - (time % unit) < 1) ?? SECONDS;

const counted = (time: number, [unit, name]: Unit): string => {
  const n = Math.round(time / unit);
  return `${n} ${name}${n === 1 ? '' : 's'}`;
};

/** In the unit of the policy, or a smaller one where that would be none: "0 days old" explains nothing. */
function ageText(age: number, least: number): string {
  const own = unitOf(least);
  const unit = age >= own[0] ? own : (UNITS.find(([size]) => age >= size) ?? SECONDS);
  return `${counted(Math.floor(age / unit[0]) * unit[0], unit)} old`;
}
