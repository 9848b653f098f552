import type { Claim } from './claims.ts';
import type { Event } from './events.ts';
import type { Seen } from './examination.ts';
import type { Habit } from './habits.ts';
import { jumpOf, retouched } from './jump.ts';
import { misplacedIn } from './misplaced.ts';
import { canBeRead, speaksOf, type Backing } from './readings.ts';
import type { Run } from './run.ts';
import { becameGarbled, type Oddity } from './siblings.ts';
import { WEIGHTS, type Missed, type Reason } from './weights.ts';
import { isBlank, type Leaf } from './leaf.ts';
import { isConverted } from './units.ts';
import { isProse, wordsOf } from './values.ts';
import { kindWord, oddityWords, quoted } from './words.ts';

/** What was read just before and is not what was written. */
export function claimAgainst(event: Event, { claims }: Run, isMissed: boolean): Claim | undefined {
  const near = isMissed ? 0 : 2;
  return claims.unmet.get(event.key)?.findLast(({ step }) => step <= event.step && step >= event.step - near);
}

export function claimReason({ place, words, isExplicit, beside = 0 }: Claim, { claims }: Run): Reason {
  const trust = isExplicit ? 1 : Math.max(beside * 0.9, claims.trust(place.slot) ?? 0);
  const weight = WEIGHTS.claim * Math.max(0, trust * 1.25 - 0.25);
  const said = (): string => quoted(plainly(words), 60);
  return { family: 'reading', weight, words: () => `The step read ${JSON.stringify(said())} instead.` };
}

/** Without what closes what was read before it; of JSON the first field. @example plainly('","units":202,"pallets":9') // 'units: 202' */
function plainly(words: string): string {
  const said = words.replace(/^[\s"'`,:;)\]}]+/, '');
  const [field, name, value] = /^([\w -]{1,40})"\s*:\s*("[^"]{0,80}"|[^\s,}\]]{1,40})/.exec(said) ?? [];
  return field === undefined ? said : `${name}: ${value?.replaceAll('"', '')}`;
}

export function missedReasons(missed: Missed, event: Event, { isNamed, isAbsent }: Backing, run: Run): Reason[] {
  if (missed === 'claim') return [];
  if (missed === 'amount') {
    const words = 'The step read an amount for it, but it did not change.';
    return [{ family: 'reading', weight: WEIGHTS.amount, words }];
  }
  if (missed === 'never') {
    const words = 'Nearly all others have a value here, but this one still has none.';
    return [{ family: 'absence', weight: WEIGHTS.never, words }];
  }
  if (missed === 'bulk' || missed === 'left') {
    const words =
      missed === 'left' && !isBlank(event.after)
        ? 'All similar values were changed in the same way in this step, but this one was not.'
        : 'All similar values were written in this step, but this one was not.';
    const named: Reason = { family: 'reading', weight: 0.4, words: 'The step mentions it.' };
    const weight = missed === 'left' ? WEIGHTS.left : WEIGHTS.missed;
    if (isBlank(event.after) && isAbsent) return [{ family: 'absence', weight: weight * WEIGHTS.excepted, words }];
    if (isNamed && run.isSingledOut(event)) return [{ family: 'absence', weight: weight * WEIGHTS.excepted, words }];
    return [{ family: 'absence', weight, words }, ...(isNamed ? [named] : [])];
  }
  const { rate, of, words = 'The step mentions it, but wrote this only for the others it mentions.' } = missed;
  return [{ family: 'absence', weight: WEIGHTS.omitted * Math.max(0.2, rate * 2 - 1) * (of / (of + 2)), words }];
}

/** A word or a name with a blank before or after it; of sentences it says nothing. */
export const hasStrayBlank = (event: Event): boolean =>
  isPadded(event) && event.after?.isProse === false && event.after.value.length <= MOST_NAME;

const MOST_NAME = 64;

/** Nobody writes the blank before or after a value. */
const isPadded = ({ after }: Event): boolean => after?.kind === 'string' && after.value.trim() !== after.value;

/** Figures that are told apart by their keys may be of different things. */
const isOfTotals = ({ place, after }: Event): boolean =>
  place.isEntry && typeof place.step === 'string' && after?.number !== undefined;

/** Others come to be the same, however odd it was beside those that were there. */
function isUsual(why: Oddity['why'], event: Event, { others }: Habit): boolean {
  if (why === 'size') return isOwnName(event);
  if (why === 'format') return others.alike >= SEVERAL || event.after?.joined === '';
  return why === 'category' && others.same >= SEVERAL;
}

const SEVERAL = 2;

/** Oddities that no reading explains. */
const PLAIN: ReadonlySet<string> = new Set(['type', 'holder', 'garbled', 'cut', 'missing', 'key']);

export function addSiblings(found: Reason[], { event, oddities }: Seen, habit: Habit): void {
  if (oddities.length === 0) return;
  const many = event.kind === 'removed' ? 1 / habit.batch : habit.alike > 2 && event.kind !== 'added' ? 0.5 : 1;
  const crowd = many * (isOfTotals(event) ? WEIGHTS.totals : 1);
  const sorted = oddities.filter(({ why }) => !isUsual(why, event, habit)).toSorted((a, b) => b.strength - a.strength);
  for (const [index, oddity] of sorted.slice(0, 2).entries()) {
    found.push({
      family: 'siblings',
      weight: crowd * oddity.strength * (index === 0 ? WEIGHTS.siblings : WEIGHTS.secondOddity),
      words: () => oddityWords(oddity, event),
      ...(PLAIN.has(oddity.why) || isPadded(event) ? { isPlain: true as const } : {}),
    });
  }
}

export function addRelations(found: Reason[], { relations }: Seen): void {
  const [first] = relations;
  if (first === undefined) return;
  const weight = WEIGHTS.relation * (relations.length > 1 ? 1.2 : 1);
  found.push({ family: 'relation', weight, words: `Everywhere else ${first}, but not here.` });
}

export function addJump(found: Reason[], event: Event, habit: Habit): void {
  const { kind, before, after } = event;
  if (before === undefined || after === undefined || (kind !== 'changed' && kind !== 'type-changed')) return;
  const crowd = 1 / Math.sqrt(habit.alike);
  if (kind === 'type-changed') {
    // What had no value yet gets one.
    const isFilled = before.kind === 'null';
    const words = isFilled
      ? 'It was null until now.'
      : after.kind === 'null'
        ? `${kindWord(before)} was replaced by null.`
        : `${kindWord(before)} became ${kindWord(after).toLowerCase()}.`;
    const isSame = before.value === after.value;
    const weight =
      WEIGHTS.typeChange *
      crowd *
      (isFilled ? (habit.fills >= MANY ? WEIGHTS.filledOften : WEIGHTS.filled) : isSame ? WEIGHTS.retyped : 1);
    found.push({ family: 'jump', weight, words, ...(isFilled ? {} : { isPlain: true as const }) });
  } else if (becameGarbled(before.value, after.value)) {
    found.push({ family: 'jump', weight: WEIGHTS.typeChange * crowd, words: 'It became garbled.', isPlain: true });
  } else if (habit.isOld && habit.earlier === 0 && event.collection === undefined && isReplaced(before, after)) {
    found.push({ family: 'jump', weight: WEIGHTS.replaced, words: 'The text gave way to another one.', isPlain: true });
  } else {
    const [strength, words] = jumpOf(event);
    // What counts down ends at zero.
    const isUsual = (after.number === 0 && habit.earlier > 1 && !habit.turns) || habit.swings;
    const weight = WEIGHTS.jump * strength * crowd * (isUsual ? WEIGHTS.usual : 1);
    if (strength >= 0.05) found.push({ family: 'jump', weight, words });
    const figures = retouched(event, habit);
    if (figures === undefined) return;
    const [was, is] = figures;
    const changed = (): string => `In the text, only ${quoted(was)} changed, to ${quoted(is)}.`;
    found.push({ family: 'jump', weight: WEIGHTS.retouched, words: changed });
  }
}

/** It changed by another amount than was read, where others of its kind change by what is read. */
export function addAmount(found: Reason[], event: Event, run: Run): void {
  const rate = run.amounts().missing(event);
  if (rate === 0) return;
  const words = 'The step read nothing of the amount by which it changed, unlike for similar values.';
  found.push({ family: 'reading', weight: WEIGHTS.amount * rate, words });
}

/** The error names a figure that adds this up. */
export function addBehind(found: Reason[], { slot, place }: Event, run: Run): void {
  const figure = place.collection === undefined ? undefined : run.behind(slot);
  if (figure === undefined) return;
  const words = (): string => `The error names ${JSON.stringify(quoted(figure.named))}, which is calculated from this.`;
  found.push({ family: 'error', weight: WEIGHTS.behind * figure.strength, words });
}

/** With another value in its place the figure in the error would be right. */
export function addExpected(found: Reason[], event: Event, run: Run): void {
  const expected = run.expected(event);
  if (expected === undefined) return;
  const { value, figure, said, of } = expected;
  const words = `With ${value} here, ${figure} would be ${said}, as the error says.`;
  found.push({ family: 'relation', weight: WEIGHTS.expected / of, words, isPlain: true });
}

/** A figure that is not what its entries come to. */
export function addFigure(found: Reason[], event: Event, run: Run): void {
  if (event.step === 0 || event.after?.number === undefined) return;
  const derived = run.derived();
  if (derived.isOff(event)) {
    const words = 'Similar figures match the entries they are named after, but this one does not.';
    found.push({ family: 'relation', weight: WEIGHTS.off, words });
  } else if (derived.isPart(event)) {
    found.push({ family: 'relation', weight: WEIGHTS.part, words: 'It is the average of only some of the entries.' });
  }
  const lacking = derived.lacking(event);
  if (lacking === undefined) return;
  const words = (): string => `It adds up all entries but ${JSON.stringify(quoted(lacking))}.`;
  found.push({ family: 'relation', weight: WEIGHTS.lacking, words });
}

/** The last value of a list, or a text, of which more was read. */
export function addCut(found: Reason[], event: Event, run: Run): void {
  const cut = run.cut(event);
  if (cut === undefined) return;
  const words = (): string => `The step read more: ${JSON.stringify(quoted(cut, 60))}.`;
  found.push({ family: 'reading', weight: WEIGHTS.cut, words, isPlain: true });
}

/** What was read has two values for it, and others of its kind have the other one. */
export function addSource(found: Reason[], event: Event, run: Run): void {
  const source = event.step === 0 || run.isRead(event) ? undefined : run.source(event);
  if (source === undefined) return;
  const { taken, usual } = source;
  const words = `The step took what it read as ${JSON.stringify(taken)}; for similar values it took ${JSON.stringify(usual)}.`;
  found.push({ family: 'reading', weight: WEIGHTS.source, words, isPlain: true });
}

/** A figure was taken without its unit. */
export function addUnit(found: Reason[], event: Event, run: Run): void {
  const unit = event.step === 0 || run.isRead(event) ? undefined : run.unit(event);
  if (unit === undefined) return;
  const words = `It was read in ${JSON.stringify(unit.taken)} and taken as it stood; similar values were in ${JSON.stringify(unit.usual)}.`;
  found.push({ family: 'reading', weight: WEIGHTS.unit, words, isPlain: true });
}

/** Values at the end of a list went at once, as those of few other lists did. */
export function addTail(found: Reason[], event: Event, { removals, slotRate }: Habit, run: Run): void {
  const count = event.kind === 'removed' && removals < MANY ? run.tail(event) : undefined;
  if (count === undefined) return;
  const words = `${event.place.step === 0 ? 'All' : 'The last'} ${count} values of its list were removed at once.`;
  found.push({ family: 'habit', weight: WEIGHTS.tail * (1 - Math.min(0.8, slotRate)), words, isPlain: true });
}

/** The others were all changed in one way, and it in another; or it was to be left out. */
export function addAct(found: Reason[], event: Event, habit: Habit, run: Run): void {
  const isAlike = event.after?.number === undefined ? habit.alike > 3 : habit.act?.isPart(event) === true;
  if (event.step > 0 && isAlike && run.isSingledOut(event)) {
    const words = 'The step changed it like all the others, though what it read names this one alone.';
    found.push({ family: 'reading', weight: WEIGHTS.singled, words, isPlain: true });
  }
  if (habit.act?.isOff(event) !== true) return;
  const words = 'All similar values were changed in the same way in this step, but this one in another.';
  found.push({ family: 'relation', weight: WEIGHTS.offAct, words });
}

/** Of two entries that exchanged a value, both are wrong. */
export function addSwap(found: Reason[], event: Event, run: Run): void {
  const other = run.swapped(event);
  if (other === undefined) return;
  const name = other.names.at(-1);
  const words = (): string =>
    name === undefined
      ? 'It exchanged its value with another entry.'
      : `It exchanged its value with ${JSON.stringify(quoted(name))}.`;
  found.push({ family: 'siblings', weight: WEIGHTS.swapped, words });
}

/** Prose that shares few words with what it was. */
function isReplaced(before: Leaf, after: Leaf): boolean {
  if (before.kind !== 'string' || after.kind !== 'string' || !isProse(before.value) || !isProse(after.value))
    return false;
  const words = new Set(wordsOf(after.value));
  const was = wordsOf(before.value);
  return was.filter((word) => words.has(word)).length < was.length * 0.4;
}

/** From so many on it is what happens to values of this kind. */
const MANY = 3;

/** The step was told nothing of the kind, though of others it was. */
export function addReading(found: Reason[], event: Event, { backed, isNamed }: Backing, run: Run): void {
  if (event.after === undefined || event.after.kind === 'null' || run.isRead(event) || isOwnName(event)) return;
  const line = backed < 2 ? misplacedIn(event, run.readings[event.step]) : undefined;
  if (line !== undefined) {
    const words = (): string => `The step read this of another entry: ${JSON.stringify(quoted(line, 60))}.`;
    found.push({ family: 'reading', weight: WEIGHTS.misplaced, words, isPlain: true });
    return;
  }
  if (backed === 1 && isNamed) return addElsewhere(found, event, run);
  const weight = unreadWeight(event, run);
  if (weight > 0)
    found.push({ family: 'reading', weight, words: 'Nothing the step read contains it, unlike similar values.' });
}

/** Nothing was read of a value, as it was of others of its kind. */
export function unreadWeight(event: Event, run: Run): number {
  if (!canBeRead(event.after)) return 0;
  const { rate, of } = run.backed(event);
  if (of < 2 || rate < 0.4 || run.backing(event).backed > 0 || isReadConverted(event, run)) return 0;
  if (event.kind === 'added' && run.claims.met.has(event.key)) return 0;
  // What comes in one load with others of which nothing was read either is odd only as a whole.
  return (WEIGHTS.unbacked * rate * (of / (of + 1.5))) / run.unbackedBeside(event);
}

function isReadConverted({ after, step, place }: Event, { readings }: Run): boolean {
  if (after?.number === undefined || place.spokenName === '') return false;
  return (readings[step]?.about.get(place.spokenName) ?? []).some(({ text }) => isConverted(after, text));
}

/** Entries that are counted are told apart by that. */
const isOwnName = ({ names, after, place }: Event): boolean =>
  after?.number !== undefined && !place.isEntry && after.value === names.at(-1);

/** The step speaks of the entry, and has the value only where it speaks of something else. */
function addElsewhere(found: Reason[], event: Event, run: Run): void {
  const { rate, of } = run.lined(event);
  if (of < 3 || rate < 0.7) return;
  const words = 'What the step read of it does not contain this, unlike for similar values.';
  found.push({ family: 'reading', weight: WEIGHTS.elsewhere * rate * (of / (of + 1.5)), words });
}

export function addHabits(found: Reason[], event: Event, habit: Habit, run: Run): void {
  if (run.isRead(event)) return;
  if (hasStrayBlank(event)) {
    const words = 'It has a blank before or after it.';
    found.push({ family: 'habit', weight: WEIGHTS.slip, words, isPlain: true });
  }
  const { novel, nearly: known } = habit.novelty();
  if (novel > 0) {
    const nearly = known === undefined || isRead(event.after?.value, event.step, run) ? undefined : known;
    const words =
      nearly === undefined
        ? 'It differs from every similar value.'
        : () => `It is almost ${JSON.stringify(quoted(nearly))}, which similar values have.`;
    const weight = nearly === undefined ? WEIGHTS.novel : WEIGHTS.slip;
    found.push({
      family: 'habit',
      weight: weight * (novel / (novel + 3)),
      words,
      ...(nearly === undefined ? {} : { isPlain: true }),
    });
  }
  const crowdOf = (): number => (1 - Math.min(0.8, habit.slotRate)) / habit.batch;
  const isTaken = event.kind === 'removed' && event.place.isEntry && habit.removals >= MANY;
  const isCleared = event.kind === 'removed' && !event.place.isEntry && isWhole(event);
  if (event.kind !== 'added' && habit.earlier === 0 && habit.age >= 2 && !isTaken && !isCleared) {
    const isSetting = habit.isOld && habit.isLone && habit.later === 0 && event.collection === undefined;
    const weight =
      WEIGHTS.constant *
      (isSetting ? WEIGHTS.setting : 1) *
      (habit.age / (habit.age + 4)) *
      crowdOf() *
      (isBlank(event.before) || event.before?.number === 0 ? WEIGHTS.firstValue : 1) *
      // Where most are written again, each has its turn.
      (1 - WEIGHTS.moved * habit.moved) *
      (isState(event, run) ? WEIGHTS.usual : 1) *
      (habit.later > 2 ? 0.5 : 1);
    const had = isBlank(event.before) ? 'It had been empty' : 'It had not changed';
    found.push({ family: 'habit', weight, words: `${had} in the previous ${habit.age} checkpoints.` });
  }
  if (habit.only && habit.alike === 1) {
    found.push({ family: 'habit', weight: WEIGHTS.only, words: 'No similar entry was ever written twice.' });
  }
  if (habit.turns)
    found.push({
      family: 'habit',
      weight: WEIGHTS.turn,
      words: 'Until now, it only ever moved in the other direction.',
    });
  if (event.kind === 'removed' && event.before?.kind === 'list' && !event.place.isEntry) {
    found.push({
      family: 'habit',
      weight: WEIGHTS.cleared * (1 - habit.slotRate) * (/[{[]/.test(event.before.text.slice(1)) ? 1 : 0.5),
      words: 'Most of its entries were removed at once.',
    });
  }
  if (event.kind === 'removed' && event.place.isEntry && habit.alike <= 2) {
    found.push({
      family: 'habit',
      weight: (isWhole(event) ? WEIGHTS.removed : WEIGHTS.removedValue) * crowdOf(),
      words: 'It was removed, but the entries next to it stayed.',
    });
  }
}

/** One word gives way to another as the run ends: it says how far that is. */
const isState = ({ step, before, after, collection }: Event, { steps }: Run): boolean =>
  step === steps - 1 && collection === undefined && isWord(before) && isWord(after);

const isWord = (leaf: Leaf | undefined): boolean => leaf?.kind === 'string' && /^\p{L}+$/u.test(leaf.value);

const isWhole = ({ before }: Event): boolean => before?.kind === 'fields' || before?.kind === 'list';

/** Exactly this word was read before it was written. */
function isRead(value: string | undefined, step: number, { readings }: Run): boolean {
  if (value === undefined) return false;
  return readings.slice(Math.max(0, step - 3), step + 1).some((reading) => reading?.text.includes(value.toLowerCase()));
}

/** A change of something that nobody talked about, in a run that talks about what it does. */
export function addJob(found: Reason[], event: Event, habit: Habit, { isNamed, backed }: Backing, run: Run): void {
  if (run.isRead(event) || event.step === 0) return;
  // What leaves a queue is seldom what the step is about.
  const isQueued = event.kind === 'removed' && habit.removals >= MANY;
  const stray = event.kind === 'added' || isNamed || isQueued || backed > 1 ? 0 : run.titles().strays(event);
  if (stray > 0) {
    const words = 'The step names another entry, and steps seldom change others than they name.';
    found.push({ family: 'job', weight: WEIGHTS.stray * stray, words, isPlain: true });
  }
  const misnamed = run.titles().misnames(event);
  if (misnamed > 0) {
    const words = 'Similar values are what the title of their step names, but this one is not.';
    found.push({ family: 'job', weight: WEIGHTS.stray * misnamed, words, isPlain: true });
  }
  const fit = run.jobs.fit(event);
  if (fit < 0 && event.kind !== 'added') {
    const words = 'Other steps with this name did not touch it.';
    found.push({ family: 'job', weight: -fit * WEIGHTS.misfit * (backed > 0 ? 0.4 : 1), words });
    return;
  }
  if (isNamed || backed > 0 || habit.rate > 0.5 || run.asked() < 0.3) return;
  const reading = run.readings[event.step];
  if (reading === undefined || speaksOf(event.place, reading)) return;
  const weight = WEIGHTS.unasked * run.asked() * (1 - Math.min(0.9, habit.slotRate * 1.5));
  found.push({ family: 'job', weight, words: 'Nothing in the step mentions it.' });
}
