import type { Aliases } from './aliases.ts';
import type { Blame } from './blame.ts';
import { Event } from './events.ts';
import type { Histories } from './history.ts';
import type { Label } from './place.ts';
import type { Survey } from './places.ts';
import { listOf } from './reading-lists.ts';
import type { Names, Reading } from './readings.ts';
import { leafOf } from './tree.ts';
import type { DiagnosedStep } from './types.ts';
import { wordsOf } from './values.ts';
import type { Omitted } from './weights.ts';

/** What the steps do: `reply to: T-480, T-481`, `reply to: T-7` and `reply to Bob`, where Bob is an entry, are one job. */
export const jobsIn = (steps: readonly DiagnosedStep[], names: Names): readonly string[] =>
  steps.map(({ description = '' }) => headOf(description, names));

function headOf(description: string, names: Names): string {
  const [head = ''] = description.toLowerCase().split(/[:([{]|(?:^|\s)\S*\d/);
  const words = wordsOf(head);
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const length = names.lengthAt(words, at);
    if (length === 0) kept.push(words[at] ?? '');
    else at += length - 1;
  }
  return (kept.length > 0 ? kept : words).join(' ');
}

/** The steps in which something was done, and how many. */
interface Done {
  of: number;
  last: number;
}

/** Which steps write what: learned from the run, by the names of its steps. */
export class Jobs {
  readonly #jobs: readonly string[];
  readonly #times = new Map<string, number>();
  /** By job, and by what was done: writes of a slot, removals of it. */
  readonly #done = new Map<string, Map<number, Done>>();
  readonly #changed = new Map<number, Done>();

  constructor(jobs: readonly string[], events: readonly Event[]) {
    this.#jobs = jobs;
    for (const job of this.#jobs) this.#times.set(job, (this.#times.get(job) ?? 0) + 1);
    for (const event of events) {
      if (event.step === 0) continue;
      const act = actOn(event);
      add(this.#doneBy(this.#jobs[event.step] ?? ''), act, event.step);
      add(this.#changed, act, event.step);
    }
  }

  #doneBy(job: string): Map<number, Done> {
    const known = this.#done.get(job);
    if (known) return known;
    const made = new Map<number, Done>();
    this.#done.set(job, made);
    return made;
  }

  /**
   * -1 to 1: how far writing this is what the step does. 1: it does so every time; -1: it never did and others do;
   * 0: nothing is known, because the step ran once only.
   */
  fit(event: Event): number {
    const job = this.#jobs[event.step] ?? '';
    const times = (this.#times.get(job) ?? 1) - 1;
    if (job === '' || times < 1) return 0;
    const act = actOn(event);
    const own = (this.#done.get(job)?.get(act)?.of ?? 1) - 1;
    const elsewhere = (this.#changed.get(act)?.of ?? 1) - 1 - own;
    if (own > 0) return Math.min(1, own / times + 0.25);
    const trust = times / (times + 1);
    return elsewhere > 0 ? -trust : -0.7 * trust;
  }
}

/** Who writes values does not therefore remove them. */
const actOn = ({ slot, kind }: Event): number => slot.id * 2 + Number(kind === 'removed');

/** Changes come in the order of their steps. */
function add(acts: Map<number, Done>, act: number, step: number): void {
  const known = acts.get(act);
  if (known === undefined) acts.set(act, { of: 1, last: step });
  else if (known.last !== step) {
    known.of += 1;
    known.last = step;
  }
}

/** An entry that a step names, as it names those for which it wrote a field, and did not write. */
export interface Omission extends Omitted {
  readonly event: Event;
}

/** From which the error names both the entry and its field. */
const NAMED = 1;

interface Field {
  readonly sample: Event;
  named: number;
  written: number;
  readonly omitted: { readonly key: Label; readonly step: number }[];
}

/** @param worked changes of what is worked on */
export function omissions(
  jobs: readonly string[],
  worked: readonly Event[],
  readings: readonly (Reading | undefined)[],
  last: Survey,
  { histories, blame, aliases }: { readonly histories: Histories; readonly blame: Blame; readonly aliases: Aliases },
): Omission[] {
  const births = birthsOf(worked);
  const byJob = fieldsOf(jobs, worked, births);
  if (byJob.size === 0) return [];
  const entriesByName = entriesOf(worked, aliases);
  for (const [step, job] of jobs.entries()) {
    const reading = readings[step];
    const own = step === 0 || job === '' ? undefined : byJob.get(job);
    if (own === undefined || reading === undefined) continue;
    const titled = [...reading.titled].flatMap((name) => entriesByName.get(name) ?? []);
    const told = [...reading.about.keys()].flatMap((name) => entriesByName.get(name) ?? []);
    for (const field of own) {
      const list = listOf(field.sample);
      // The title may name an order, and the text what is taken for it.
      const named = titled.some((entry) => entry.list === list) ? titled : told;
      const entries = named.filter((entry) => entry.list === list && (births[entry.key.id] ?? -1) < step);
      for (const entry of entries) enterNamed(field, keyIn(entry.key, field.sample), step, histories);
    }
  }
  return [...byJob.values()].flat().flatMap((field) => omitted(field, last, blame));
}

/** The step names the entry of this field. */
function enterNamed(field: Field, key: Label, step: number, histories: Histories): void {
  field.named += 1;
  const isWritten = histories.of(key).some((event) => event.step === step && event.after !== undefined);
  if (isWritten) field.written += 1;
  else field.omitted.push({ key, step });
}

/** The steps in which entries came, by the number of the entry. */
function birthsOf(worked: readonly Event[]): readonly (number | undefined)[] {
  const births: (number | undefined)[] = [];
  for (const { place, step } of worked) births[place.entry.id] ??= step;
  return births;
}

/** What steps write to entries, by the name of the step; what comes with a new entry is not written to it. */
function fieldsOf(
  jobs: readonly string[],
  worked: readonly Event[],
  births: readonly (number | undefined)[],
): ReadonlyMap<string, readonly Field[]> {
  const byJob = new Map<string, { readonly fields: Field[]; readonly slots: Set<Label> }>();
  for (const event of worked) {
    const job = jobs[event.step] ?? '';
    if (event.collection === undefined || event.step === 0) continue;
    if (event.kind === 'added' && births[event.place.entry.id] === event.step) continue;
    let known = byJob.get(job);
    if (known === undefined) byJob.set(job, (known = { fields: [], slots: new Set() }));
    if (known.slots.has(event.slot)) continue;
    known.slots.add(event.slot);
    known.fields.push({ sample: event, named: 0, written: 0, omitted: [] });
  }
  return new Map([...byJob].map(([job, { fields }]) => [job, fields]));
}

function omitted({ named, written, omitted: found }: Field, last: Survey, blame: Blame): Omission[] {
  const rate = named === 0 ? 0 : written / named;
  const isRule = named >= 3 && rate >= 0.6 && found.length <= Math.max(1, named * 0.3);
  if (!isRule && rate < 0.25) return [];
  return found.flatMap(({ key, step }): Omission[] => {
    const at = last.pathOf(key);
    if (at === undefined) return [];
    const leaf = leafOf(last.node(at));
    const event = new Event(last.place(at), { step, kind: 'changed', before: leaf, after: leaf });
    // What the error names may be an exception to a rule that applies now and then.
    return isRule || blame.of(event).strength >= NAMED ? [{ event, rate, of: named }] : [];
  });
}

interface Entry {
  readonly key: Label;
  readonly list: Label | undefined;
}

/** Entries by their names. */
function entriesOf(worked: readonly Event[], aliases: Aliases): ReadonlyMap<string, readonly Entry[]> {
  const found = new Map<string, Entry[]>();
  const seen: true[] = [];
  for (const { place } of worked) {
    const key = place.entry;
    if (place.collection === undefined || seen[key.id]) continue;
    seen[key.id] = true;
    for (const name of [place.spokenName, ...aliases.of(place)]) {
      const known = found.get(name);
      if (known) known.push({ key, list: place.holder?.slot });
      else if (name !== '') found.set(name, [{ key, list: place.holder?.slot }]);
    }
  }
  return found;
}

/** The same field of another entry. */
function keyIn(entry: Label, { key, collection = 0 }: Event): Label {
  if (key.depth <= collection + 1 || key.parent === undefined) return entry;
  return stepsBelow(entry, key, collection + 1);
}

function stepsBelow(entry: Label, { parent, step, depth }: Label, from: number): Label {
  return depth <= from || parent === undefined ? entry : stepsBelow(entry, parent, from).below(step);
}

/** Something that every step of a name writes, and one step of it did not. */
export function lapses(
  jobs: readonly string[],
  worked: readonly Event[],
  last: Survey,
  histories: Histories,
): Omission[] {
  const times = new Map<string, number[]>();
  for (const [at, job] of jobs.entries()) {
    if (at === 0) continue;
    const known = times.get(job);
    if (known) known.push(at);
    else times.set(job, [at]);
  }
  const seen = new Set<Label>();
  return worked.flatMap(({ key }): Omission[] => {
    const events = histories.of(key);
    // Nothing can be a rule that was not written twice after the first state.
    if (events.length < 2 || events.at(-2)?.step === 0 || seen.has(key)) return [];
    seen.add(key);
    return [...writesByJob(events, jobs)].flatMap(([job, done]) => lapsesOf(key, done, times.get(job) ?? [], last));
  });
}

/** The steps in which something was written, by their name. */
function writesByJob(events: readonly Event[], jobs: readonly string[]): ReadonlyMap<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  for (const event of events) {
    const job = jobs[event.step];
    if (job === undefined || event.step === 0 || event.after === undefined) continue;
    const known = found.get(job);
    if (known) known.add(event.step);
    else found.set(job, new Set([event.step]));
  }
  return found;
}

function lapsesOf(key: Label, done: ReadonlySet<number>, times: readonly number[], last: Survey): Omission[] {
  if (done.size < 2) return [];
  const first = Math.min(...done);
  const all = times.filter((at) => at >= first);
  const missing = all.filter((at) => !done.has(at));
  const [only] = missing;
  if (only === undefined || missing.length > 1) return [];
  const at = last.pathOf(key);
  const node = at && last.node(at);
  if (at === undefined || node === undefined) return [];
  const leaf = leafOf(node);
  const lapse = new Event(last.place(at), { step: only, kind: 'changed', before: leaf, after: leaf });
  return [{ event: lapse, rate: done.size / all.length, of: done.size }];
}
