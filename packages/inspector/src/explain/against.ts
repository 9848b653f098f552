/** A run held against one that ended well: end values that differ, and calls that one never made. */
import {
  callsOf,
  compact,
  diffJson,
  LastWriters,
  locate,
  messagesOf,
  parsePath,
  rankDiff,
  wayBack,
  type Against,
  type Called,
  type ChangeRoles,
  type CheckpointSource,
  type Difference,
  type Pause,
  type StepRef,
  sentValue,
} from '@checkpoint-inspector/core';
import { stepRef, type GoodRun, type Listed } from './branch.ts';
import { readText } from './facts.ts';
import { firstWith } from './origins.ts';

const MAX_DIFFERS = 12;
/** Values whose writers are looked for. */
const MAX_FOLLOWED = 60;
const MAX_MISSING = 8;
/** What a call was asked, where it is told. */
const MAX_ARGS = 400;

export interface Differences {
  /** From the good run to this one. */
  readonly items: readonly Difference[];
  readonly of: number;
  /** The last state of the good run. */
  readonly end: string;
}

/** How this run ends, in data, unlike the good one. @param end its last state */
export async function differencesTo(
  source: CheckpointSource,
  { steps }: GoodRun,
  end: string,
  roles: ChangeRoles,
): Promise<Differences | undefined> {
  const last = steps.at(-1);
  const read = last && (await readText(source, last));
  if (read === undefined || !('text' in read)) return undefined;
  roles.observeState(read.text);
  const { items } = diffJson(read.text, end, { ignore: source.info.volatilePaths });
  const data = items.filter((item) => item.kind !== 'moved' && roles.of(item) === 'data');
  const ranked = data.length === 0 ? [] : rankDiff({ items: data }).ranked;
  return { items: ranked.slice(0, MAX_FOLLOWED), of: ranked.length, end: read.text };
}

interface Here {
  readonly writers: LastWriters;
  readonly refAt: (at: number) => StepRef | undefined;
  readonly end: string;
}

export async function againstOf(
  source: CheckpointSource,
  { task, steps, chosen }: GoodRun,
  { items, of, end }: Differences,
  here: Here,
  pause: Pause,
): Promise<Against | undefined> {
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  const there = new LastWriters(items.map(({ path }) => parsePath(path)));
  await followed(source, steps, there, pause);
  const all = items.map((item) => {
    const writer = here.writers.of(item.path);
    const other = there.of(item.path);
    const step = other && steps[other.at];
    return {
      path: item.path,
      here: {
        ...sentValue(locate(here.end, parsePath(item.path))),
        ...compact({ ref: writer && here.refAt(writer.at) }),
      },
      there: { ...sentValue(locate(end, parsePath(item.path))), ...compact({ ref: step && stepRef(step) }) },
    };
  });
  // What was written first differs not because of the others.
  const differs = all
    .toSorted((a, b) => (a.here.ref?.seq ?? Infinity) - (b.here.ref?.seq ?? Infinity))
    .slice(0, MAX_DIFFERS);
  const more = of - differs.length;
  const missing = await missingCalls(source, steps, callsOf(messagesOf(end)), callsOf(messagesOf(here.end)));
  return { task, end: stepRef(last), chosen, differs, ...(more > 0 ? { more } : {}), missing };
}

/** As far back as any of the values has not been found. */
async function followed(
  source: CheckpointSource,
  steps: readonly Listed[],
  writers: LastWriters,
  pause: Pause,
): Promise<void> {
  let after: string | undefined;
  for (let at = steps.length - 1; at >= 0 && !writers.isDone; at--) {
    const turn = pause();
    if (turn !== undefined) await turn;
    const step = steps[at];
    const read = step && (await readText(source, step));
    if (read === undefined || !('text' in read)) continue;
    if (after !== undefined) {
      const { items } = diffJson(read.text, after, { ignore: source.info.volatilePaths });
      writers.add({ at: at + 1, items, before: read.text, after }, wayBack(items));
    }
    after = read.text;
  }
}

/** Tools that were never called here come first, then calls that were made with other arguments. */
async function missingCalls(
  source: CheckpointSource,
  steps: readonly Listed[],
  there: readonly Called[],
  here: readonly Called[],
): Promise<Against['missing']> {
  const names = new Set(here.map(({ name }) => name));
  const left = new Map<string, number>();
  for (const { name, args } of here) left.set(`${name} ${args}`, (left.get(`${name} ${args}`) ?? 0) + 1);
  const unmade = there.filter(({ name, args }) => {
    const key = `${name} ${args}`;
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  const ordered = [...unmade.filter(({ name }) => !names.has(name)), ...unmade.filter(({ name }) => names.has(name))];
  const missing: Against['missing'][number][] = [];
  for (const { name, args, said } of ordered.slice(0, MAX_MISSING)) {
    const first = await firstWith(source, steps, steps.length - 1, said.json);
    const told = args === '' ? undefined : args.slice(0, MAX_ARGS);
    missing.push({ call: name, ...compact({ args: told, ref: first && stepRef(first) }) });
  }
  return missing;
}
