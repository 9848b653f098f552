import type { Blame } from './blame.ts';
import { Event } from './events.ts';
import { entryOf, listOf } from './reading-lists.ts';
import { joined, type Reading } from './readings.ts';
import type { Survey } from './places.ts';
import type { DiagnosedStep } from './types.ts';
import { kept } from './values.ts';

/** `reply to: T-480, T-481` and `reply to: T-7` are one job. */
export const jobOf = ({ description = '' }: DiagnosedStep): string => kept(known, description, headOf);

const known = new Map<string, string>();

function headOf(description: string): string {
  const [head = ''] = description.toLowerCase().split(/[:(\d[{]/);
  return head.trim();
}

/** Which steps write what: learned from the run, by the names of its steps. */
export class Jobs {
  readonly #jobs: readonly string[];
  readonly #times = new Map<string, number>();
  /** Steps in which a job changed a slot. */
  readonly #done = new Map<string, Map<string, Set<number>>>();
  readonly #changed = new Map<string, Set<number>>();

  constructor(steps: readonly DiagnosedStep[], events: readonly Event[]) {
    this.#jobs = steps.map(jobOf);
    for (const job of this.#jobs) this.#times.set(job, (this.#times.get(job) ?? 0) + 1);
    for (const event of events) {
      if (event.step === 0) continue;
      const act = actOn(event);
      add(this.#doneBy(this.#jobs[event.step] ?? ''), act, event.step);
      add(this.#changed, act, event.step);
    }
  }

  #doneBy(job: string): Map<string, Set<number>> {
    const known = this.#done.get(job);
    if (known) return known;
    const made = new Map<string, Set<number>>();
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
    const own = (this.#done.get(job)?.get(act)?.size ?? 1) - 1;
    const elsewhere = (this.#changed.get(act)?.size ?? 1) - 1 - own;
    if (own > 0) return Math.min(1, own / times + 0.25);
    const trust = times / (times + 1);
    return elsewhere > 0 ? -trust : -0.7 * trust;
  }
}

/** Who writes values does not therefore remove them. */
const actOn = ({ slot, kind }: Event): string => (kind === 'removed' ? `-${slot}` : slot);

function add(map: Map<string, Set<number>>, key: string, step: number): void {
  const known = map.get(key);
  if (known) known.add(step);
  else map.set(key, new Set([step]));
}

/** An entry that a step names, as it names those for which it wrote a field, and did not write. */
export interface Omission {
  readonly event: Event;
  /** Share of the named entries for which steps of this name wrote the field, 0 to 1. */
  readonly rate: number;
  readonly of: number;
}

/** From which the error names both the entry and its field. */
const NAMED = 1;

interface Field {
  readonly sample: Event;
  named: number;
  readonly written: Set<string>;
  readonly omitted: { readonly entry: readonly string[]; readonly step: number }[];
}

/** @param worked changes of what is worked on */
export function omissions(
  steps: readonly DiagnosedStep[],
  worked: readonly Event[],
  readings: readonly (Reading | undefined)[],
  last: Survey,
  blame: Blame,
): Omission[] {
  const entriesByName = entriesOf(worked);
  const written = writtenIn(worked);
  const fields = new Map<string, Field>();
  const births = new Map<string, number>();
  for (const event of worked) {
    const entry = entryOf(event);
    if (!births.has(entry)) births.set(entry, event.step);
  }
  for (const event of worked) {
    // What comes with a new entry is not written to it.
    if (births.get(entryOf(event)) === event.step && event.kind === 'added') continue;
    const key = fieldKey(steps, event);
    if (key !== undefined && !fields.has(key))
      fields.set(key, { sample: event, named: 0, written: new Set(), omitted: [] });
  }
  const byJob = new Map<string, [string, Field][]>();
  for (const [key, field] of fields) {
    const [job = ''] = key.split('\n\n');
    byJob.set(job, [...(byJob.get(job) ?? []), [key, field]]);
  }
  for (const [step, one] of steps.entries()) {
    const reading = readings[step];
    if (step === 0 || reading === undefined || one.description === undefined) continue;
    const said = reading.titled.size > 0 ? reading.titled : reading.about.keys();
    const named = [...said].flatMap((name) => entriesByName.get(name) ?? []);
    for (const [, field] of byJob.get(jobOf(one)) ?? []) {
      for (const entry of named) {
        if (entry.list !== listOf(field.sample) || (births.get(entry.keys.join('\n')) ?? -1) >= step) continue;
        const key = keyIn(entry.keys, field.sample);
        field.named += 1;
        if (written.get(step)?.has(key)) field.written.add(`${step} ${key}`);
        else field.omitted.push({ entry: entry.keys, step });
      }
    }
  }
  return [...fields.values()].flatMap((field) => omitted(field, last, blame));
}

/** The keys of what was written, by step. */
function writtenIn(worked: readonly Event[]): ReadonlyMap<number, ReadonlySet<string>> {
  const found = new Map<number, Set<string>>();
  for (const { step, key } of worked) {
    const known = found.get(step);
    if (known) known.add(key);
    else found.set(step, new Set([key]));
  }
  return found;
}

function omitted({ sample, named, written, omitted: found }: Field, last: Survey, blame: Blame): Omission[] {
  const rate = named === 0 ? 0 : written.size / named;
  const isRule = named >= 3 && rate >= 0.6 && found.length <= Math.max(1, named * 0.3);
  if (!isRule && rate < 0.25) return [];
  return found.flatMap(({ entry, step }): Omission[] => {
    const at = last.pathOf([...entry, ...sample.keys.slice((sample.collection ?? 0) + 1)]);
    if (at === undefined) return [];
    const node = last.node(at);
    const leaf = node && last.leaf(node);
    const event = new Event(last.place(at), { step, kind: 'changed', before: leaf, after: leaf });
    // What the error names may be an exception to a rule that applies now and then.
    return isRule || blame.of(event).strength >= NAMED ? [{ event, rate, of: named }] : [];
  });
}

function fieldKey(steps: readonly DiagnosedStep[], event: Event): string | undefined {
  const step = steps[event.step];
  if (event.collection === undefined || step === undefined || event.step === 0) return undefined;
  return `${jobOf(step)}\n\n${event.slot}`;
}

interface Entry {
  readonly keys: readonly string[];
  readonly list: string;
}

/** Entries by their names. */
function entriesOf(worked: readonly Event[]): ReadonlyMap<string, readonly Entry[]> {
  const found = new Map<string, Map<string, Entry>>();
  for (const event of worked) {
    const name = joined(event.names.at(-1) ?? '');
    if (event.collection === undefined || name === '') continue;
    const known = found.get(name) ?? new Map<string, Entry>();
    known.set(entryOf(event), { keys: event.keys.slice(0, event.collection + 1), list: listOf(event) });
    found.set(name, known);
  }
  return new Map([...found].map(([name, entries]) => [name, [...entries.values()]]));
}

const keyIn = (entry: readonly string[], { keys, collection = 0 }: Event): string =>
  `\n${[...entry, ...keys.slice(collection + 1)].join('\n')}`;

/** Something that every step of a name writes, and one step of it did not. */
export function lapses(steps: readonly DiagnosedStep[], worked: readonly Event[], last: Survey): Omission[] {
  const times = new Map<string, number[]>();
  for (const [at, step] of steps.entries()) {
    if (at > 0) times.set(jobOf(step), [...(times.get(jobOf(step)) ?? []), at]);
  }
  const written: { event: Event; steps: Set<number>; job: string }[] = [];
  const byJob = new Map<string, Map<string, Set<number>>>();
  for (const event of worked) {
    const step = steps[event.step];
    if (step === undefined || event.kind === 'removed') continue;
    const job = jobOf(step);
    const keys = byJob.get(job) ?? new Map<string, Set<number>>();
    byJob.set(job, keys);
    const done = keys.get(event.key);
    if (done) done.add(event.step);
    else {
      const first = new Set([event.step]);
      keys.set(event.key, first);
      written.push({ event, steps: first, job });
    }
  }
  return written.flatMap(({ event, steps: done, job }): Omission[] => {
    if (done.size < 2) return [];
    const all = (times.get(job) ?? []).filter((at) => at >= event.step);
    const missing = all.filter((at) => !done.has(at));
    const [only] = missing;
    if (only === undefined || missing.length > 1) return [];
    const at = last.pathOf(event.keys);
    const node = at && last.node(at);
    if (at === undefined || node === undefined) return [];
    const leaf = last.leaf(node);
    const lapse = new Event(last.place(at), { step: only, kind: 'changed', before: leaf, after: leaf });
    return [{ event: lapse, rate: done.size / all.length, of: done.size }];
  });
}
