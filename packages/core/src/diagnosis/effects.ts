import { byNames, type Aliases } from './aliases.ts';
import type { Blame } from './blame.ts';
import type { Claims } from './claims.ts';
import { Event } from './events.ts';
import type { Fields } from './fields.ts';
import type { Histories } from './history.ts';
import { lapses, omissions, type Omission } from './jobs.ts';
import type { Label, Place } from './place.ts';
import type { Survey } from './places.ts';
import type { Reading } from './readings.ts';
import type { Titles } from './titles.ts';
import { isContainer, kindOf, leafOf } from './tree.ts';
import type { DiagnosedStep } from './types.ts';
import { unwritten } from './unwritten.ts';
import { wordsOf } from './values.ts';

const FEWEST = 3;
/** More are no exceptions; and how much is searched for one name or entry. */
const MOST = { missing: 10, entries: 2_000, named: 100 };
/** Share of the steps that do it from which it is a rule. */
const RULE = { list: 0.75, field: 0.6 };

/** What is known of a run before anybody asks what did not happen. */
export interface Known {
  readonly jobs: readonly string[];
  readonly steps: readonly DiagnosedStep[];
  readonly readings: readonly (Reading | undefined)[];
  readonly last: Survey;
  readonly histories: Histories;
  readonly aliases: Aliases;
  readonly fields: Fields;
  readonly blame: Blame;
  readonly claims: Claims;
  readonly titles: () => Titles;
  /** Changes of all that is not read. */
  readonly written: readonly Event[];
}

/** What steps mostly do, and one of them did not. */
export function omitted(known: Known, worked: readonly Event[]): readonly Omission[] {
  const { jobs, readings, last, histories } = known;
  const found = [
    ...omissions(jobs, worked, readings, last, known),
    ...lapses(jobs, worked, last, histories),
    ...listLapses(known),
    ...unwritten(known),
  ];
  // Of a step that did nothing its name mostly says what it should have done.
  const explained = new Set(found.map(({ event }) => event.step));
  return [
    ...found,
    ...titleLapses(worked, known).filter(({ event, isWhole }) => isWhole !== true || !explained.has(event.step)),
  ];
}

/** Entries that came to a list, or went from it, by the steps in which they did. */
interface Traffic {
  readonly list: Place;
  readonly act: 'came' | 'went';
  readonly steps: Set<number>;
}

/** Lists to which nearly all steps of a name add an entry, or from which they take the one that they name; one did not. */
function listLapses(known: Known): Omission[] {
  const { jobs, steps, written } = known;
  const byJob = new Map<string, number[]>();
  for (const [at, job] of jobs.entries()) {
    if (at === 0 || job === '' || steps[at]?.status === 'failed') continue;
    byJob.set(job, [...(byJob.get(job) ?? []), at]);
  }
  const found = trafficIn(written);
  return [...byJob.values()].flatMap((times) => {
    if (times.length <= FEWEST) return [];
    return found.flatMap((traffic): Omission[] => {
      const done = times.filter((at) => traffic.steps.has(at));
      const missing = times.filter((at) => !traffic.steps.has(at));
      const rate = done.length / times.length;
      if (done.length < FEWEST || rate < RULE.list || missing.length > MOST.missing) return [];
      return missing
        .flatMap((step) => lapseAt(step, traffic, known) ?? [])
        .map((event) => ({
          event,
          rate,
          of: times.length,
          words:
            traffic.act === 'came'
              ? 'Other steps with this name add an entry here, but this one did not.'
              : 'Other steps with this name remove the entry they name, but this one did not.',
        }));
    });
  });
}

function trafficIn(written: readonly Event[]): Traffic[] {
  const found = new Map<string, Traffic>();
  const born = new Set<Label>();
  for (const { place, step, kind } of written) {
    const { holder, entry } = place;
    const isFirst = !born.has(entry);
    born.add(entry);
    const act = kind === 'removed' && place.isEntry ? 'went' : kind === 'added' && isFirst ? 'came' : undefined;
    if (holder === undefined || act === undefined || step === 0) continue;
    const id = `${holder.slot.id} ${act}`;
    const traffic = found.get(id) ?? { list: holder, act, steps: new Set<number>() };
    found.set(id, traffic);
    traffic.steps.add(step);
  }
  return [...found.values()];
}

function lapseAt(step: number, { list, act }: Traffic, { last, readings, aliases }: Known): Event | undefined {
  const node = last.at(list);
  if (node === undefined) return undefined;
  if (act === 'came') return unchanged(list, step, kindOf(node));
  const titled = readings[step]?.titled;
  if (titled === undefined || !isContainer(node) || node.size > MOST.entries) return undefined;
  for (let at = 0; at < node.size; at++) {
    const entry = last.place([...list.path, node.nameAt(at)]);
    const own = node.nodeAt(at);
    const called = own?.kind === 'object' ? own.members.map(({ value }) => leafOf(value)?.joined ?? '') : [];
    if (own !== undefined && [entry.spokenName, ...aliases.of(entry), ...called].some((name) => titled.has(name)))
      return unchanged(entry, step, kindOf(own));
  }
  return undefined;
}

const unchanged = (place: Place, step: number, leaf: Event['before']): Event =>
  new Event(place, { step, kind: 'changed', before: leaf, after: leaf });

/** What is named in the titles of steps, and in how many of these it did not change. */
class Named {
  readonly #unmet = new Map<number, Event>();
  #of = 0;

  enter(step: number, isMet: boolean, unmet: () => Event | undefined): void {
    this.#of += 1;
    const event = isMet ? undefined : unmet();
    if (event !== undefined && !this.#unmet.has(step)) this.#unmet.set(step, event);
  }

  /** Where most of it does. */
  lapses(words: string): readonly Omission[] {
    const rate = this.#of === 0 ? 0 : (this.#of - this.#unmet.size) / this.#of;
    if (this.#of < FEWEST || rate < RULE.field) return [];
    return [...this.#unmet.values()].map((event) => ({ event, rate, of: this.#of, words }));
  }
}

/** Fields that the title of a step names and that did not change in it, and entries where nothing at all did; most do. */
function titleLapses(worked: readonly Event[], known: Known): readonly (Omission & { readonly isWhole?: true })[] {
  const { readings, steps, histories, fields, last, written, titles, aliases } = known;
  const byName = byNames(
    histories.ends.filter(({ collection }) => collection !== undefined),
    aliases,
  );
  const [named, whole] = [new Named(), new Named()];
  const done = [...worked, ...written.filter(({ kind }) => kind === 'removed')];
  const isWork = ({ collection, kind }: Event): boolean => collection !== undefined || kind === 'added';
  const active = new Set(done.filter(isWork).map(({ step }) => step));
  for (const [step, reading] of readings.entries()) {
    if (step === 0 || reading === undefined || steps[step]?.status === 'failed') continue;
    const title = new Set(wordsOf(steps[step]?.description ?? ''));
    const isMet = ({ key }: Event): boolean =>
      histories.of(key).some((event) => event.step === step || event.step === step + 1);
    for (const name of reading.titled) {
      const ends = (byName.get(name) ?? []).slice(0, MOST.named);
      const own = ends.filter(
        ({ place, after }) =>
          place.field.length > 0 &&
          // Its name is said, and not that the name was to change.
          after?.joined !== name &&
          isSaid(place, title, fields) &&
          titles().isNamed({ place, step }) === true,
      );
      for (const end of own) named.enter(step, isMet(end), () => unchangedIn(end.key, step, last));
      const [first] = ends;
      if (first !== undefined && own.length === 0)
        whole.enter(
          step,
          active.has(step) || isRepeated(step, steps) || last.find(first.place.entry) === undefined,
          () => unchangedIn(first.place.entry, step, last),
        );
    }
  }
  return [
    ...named.lapses('The title of the step names it, but it did not change.'),
    ...whole
      .lapses('The title of the step names it, but the step changed nothing.')
      .map((lapse) => ({ ...lapse, isWhole: true as const })),
  ];
}

/** What failed for a moment is done again. */
const isRepeated = (step: number, steps: readonly DiagnosedStep[]): boolean =>
  steps.slice(step + 1, step + 1 + SOON).some(({ description }) => description === steps[step]?.description);

const SOON = 3;

function unchangedIn(key: Label, step: number, last: Survey): Event | undefined {
  const path = last.pathOf(key);
  const node = path && last.node(path);
  if (path === undefined) return undefined;
  return unchanged(last.place(path), step, node && (leafOf(node) ?? kindOf(node)));
}

const isSaid = (place: Place, title: ReadonlySet<string>, fields: Fields): boolean =>
  fields.of(place).some((field) => field.every((word) => title.has(word)));
