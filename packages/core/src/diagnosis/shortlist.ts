import type { Event } from './events.ts';
import { ageFactor } from './factors.ts';
import type { Habit } from './habits.ts';
import { jumpOf, retouched } from './jump.ts';
import { claimAgainst, claimReason, hasStrayBlank, unreadWeight } from './reasons.ts';
import type { Run } from './run.ts';
import { Spread } from './spread.ts';
import { WEIGHTS } from './weights.ts';
import { each, type Work } from './work.ts';

/** So many changes of a run are weighed with all reasons, and so many of a longer one for each further change. */
const FINALISTS = 60;
const SHARE = 1 / 8;

/** What a reason that only a closer look finds may add. */
const UNSEEN = 0.15;

/** The same of what was read, of a place that the error names. */
const UNREAD = 0.4;

export interface Glanced {
  readonly event: Event;
  readonly score: number;
}

/**
 * The changes that may be suspects, the likeliest first. Every change gets a score from what is at hand: what the error
 * names, how far the value jumped, whether it is odd among all values of its slot. The other reasons cost a comparison
 * with the entries beside it or a search in what the step read, so that only the best are asked for them.
 */
export function* shortlist(events: readonly Event[], run: Run): Work<readonly Glanced[]> {
  const glanced = yield* glances(events, run);
  const most = FINALISTS + Math.floor(glanced.length * SHARE);
  return bestOf(glanced, most);
}

/** The best first. Most are below the least of those found so far, so that sorting all of them is not worth it. */
function bestOf(glanced: readonly Glanced[], most: number): readonly Glanced[] {
  const best: Glanced[] = [];
  for (const one of glanced) {
    if (best.length === most && isBelow(one, best[most - 1])) continue;
    let at = Math.min(best.length, most - 1);
    for (; at > 0 && !isBelow(one, best[at - 1]); at--) best[at] = best[at - 1] ?? one;
    best[at] = one;
  }
  return best;
}

/** The later one of two that are alike goes first. */
const isBelow = (one: Glanced, other: Glanced | undefined): boolean =>
  other !== undefined && (one.score < other.score || (one.score === other.score && one.event.step <= other.event.step));

/** All that are not a matter of course. */
function* glances(events: readonly Event[], run: Run): Work<Glanced[]> {
  const worked = events.filter((event) => !run.isRead(event));
  const spreads = yield* spreadsOf(worked);
  const glanced: Glanced[] = [];
  yield* each(worked, (event) => {
    const odd = oddness(event, spreads[event.slot.id]);
    if (!isWorth(event, odd, run)) return;
    glanced.push({ event, score: glance(event, odd, run) });
  });
  return glanced;
}

/** A field that hardly any entry has may be another one, misspelt. */
const NEW_FIELD = 0.5;

function oddness({ kind, place, after }: Event, spread: Spread | undefined): number {
  if (after === undefined || spread === undefined) return 0;
  const isField = kind === 'added' && place.depth - 2 === place.collection;
  return isField && spread.count < 3 ? NEW_FIELD : spread.oddness(after);
}

function* spreadsOf(worked: readonly Event[]): Work<readonly (Spread | undefined)[]> {
  const spreads: (Spread | undefined)[] = [];
  yield* each(worked, ({ slot, after }) => {
    if (after) (spreads[slot.id] ??= new Spread()).enter(after);
  });
  return spreads;
}

/** What moves with every step without turning is not a cause; nor is an even first state of which nobody speaks. */
const isWorth = (event: Event, odd: number, run: Run): boolean =>
  odd > 0 ||
  hasStrayBlank(event) ||
  (event.step === 0 && isSpelledOut(event, run)) ||
  (event.step > 0 && (event.kind === 'type-changed' || !run.isBusy(event)));

/** The error names its entry and its field. */
export const isSpelledOut = (event: Event, { blame }: Run): boolean => blame.of(event).strength > 1;

/** About what all reasons together would say. */
function glance(event: Event, odd: number, run: Run): number {
  const claim = claimAgainst(event, run, false);
  const { strength } = run.blame.of(event);
  const cut =
    (run.cut(event) === undefined ? 0 : WEIGHTS.cut) +
    (hasStrayBlank(event) ? WEIGHTS.slip : 0) +
    WEIGHTS.stray * run.titles().misnames(event);
  // Most values that come are as all others, and nobody speaks of them.
  const isValue = event.step > 0 && event.after !== undefined && event.after.kind !== 'null';
  const unread = isValue ? unreadWeight(event, run) : 0;
  if (odd + strength + cut + unread === 0 && event.kind === 'added' && claim === undefined)
    return UNSEEN * placing(event, run);
  const habit = run.habits.of(event);
  const fit = event.kind === 'added' ? 0 : Math.min(0, run.jobs.fit(event));
  const stray = event.kind === 'added' ? 0 : run.titles().strays(event);
  const own =
    UNSEEN +
    unread +
    WEIGHTS.siblings * odd +
    cut +
    WEIGHTS.stray * stray +
    WEIGHTS.amount * run.amounts().missing(event) +
    (run.swapped(event) === undefined ? 0 : WEIGHTS.swapped) +
    actWeight(event, habit) -
    WEIGHTS.misfit * fit +
    (claim ? claimReason(claim, run).weight : 0);
  const exact = Math.max(0, strength - 1) * WEIGHTS.errorExact;
  const named = strength * (WEIGHTS.errorAlone + exact + WEIGHTS.error * Math.min(1, own + UNREAD));
  return (own + named) * busyFactor(habit) * placing(event, run);
}

/** Of the kind of the change, how far it went, and how long the value had been the same. */
function actWeight(event: Event, habit: Habit): number {
  const { kind, before } = event;
  if (kind === 'added') return 0;
  if (kind === 'removed') return WEIGHTS.removed;
  const { age } = habit;
  const isFirst = habit.earlier === 0 && age >= 2;
  const constant = isFirst
    ? WEIGHTS.constant * settingWeight(event, habit) * (age / (age + 4)) * (1 - Math.min(0.8, habit.slotRate))
    : 0;
  if (kind === 'type-changed') return constant + WEIGHTS.typeChange * (before?.kind === 'null' ? WEIGHTS.filled : 1);
  return constant + Math.max(WEIGHTS.jump * jumpOf(event)[0], retouched(event, habit) ? WEIGHTS.retouched : 0);
}

const settingWeight = ({ collection }: Event, habit: Habit): number =>
  collection === undefined && habit.isOld && habit.isLone && habit.later === 0 ? WEIGHTS.setting : 1;

/** As the factors of a weighed change, without what it was told to do. */
const busyFactor = ({ rate, earlier, later }: Habit): number =>
  rate >= 0.5 && earlier + later >= 3 ? WEIGHTS.busy : 1;

/** Likewise, of where in the run it is. */
const placing = ({ step }: Event, run: Run): number =>
  (step === 0 ? WEIGHTS.atStart : 1) * ageFactor(run.steps - 1 - step);
