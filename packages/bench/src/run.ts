/** One interleaved run: every store saves the same steps in turn, then all are read and pruned in turn. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { rngOf } from '@checkpoint-inspector/core/testing';
import { workload } from '@checkpoint-inspector/stores/scale/workload';
import { deltaBytes } from './delta.ts';
import { Floor } from './floor.ts';
import { KEEP, type Side, type SideKind, type Step } from './sides/index.ts';
import { median, milliseconds, quantile, rotated } from './statistics.ts';

/** Of one store in one run: milliseconds, and bytes on the disk. Absent where it was not measured. */
export interface Figures {
  readonly saveP50: number;
  readonly saveP99: number;
  /** Of the last tenth of the steps. */
  readonly saveLast: number;
  readonly coldText?: number;
  readonly neighbourText?: number;
  readonly coldValue: number;
  readonly neighbourValue: number;
  readonly lastValue: number;
  readonly page: number;
  readonly prune?: number;
  readonly bytes?: number;
}

export interface SeedRun {
  readonly seed: number;
  /** By the name of the store. */
  readonly figures: Readonly<Record<string, Figures>>;
  /** All states as JSON text, one after the other. */
  readonly stateBytes: number;
  /** What a chain of deltas would need. */
  readonly floorBytes: number;
  /** Appending 8 KB to a file and waiting for the disk: no durable save takes less. */
  readonly syncP50: number;
  /** Inserting what is new as a row: no durable save to SQLite takes less. */
  readonly insertP50: number;
}

export interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  readonly sides: readonly SideKind[];
  /** An empty folder on the disk to be measured; what is written there is removed. */
  readonly folder: string;
  readonly onProgress?: (done: number) => void;
}

/** Beyond so many steps a store of whole states saves a sample of them: 5,000 would need 36 GB in each. */
export const ALL_SAVED = 1_000;
/** How many steps are sampled then, each with the one before it. */
const SAMPLES = 50;
const ROUNDS = 15;

type Times = Map<string, number[]>;

interface Saved {
  readonly steps: readonly Step[];
  /** Steps that every store has, with their parents. */
  readonly common: readonly Step[];
  readonly times: Times;
  readonly floor: Pick<Floor, 'syncs' | 'inserts'>;
  readonly stateBytes: number;
  readonly floorBytes: number;
}

/** @throws Error where a store hands back another state than was saved */
export async function runSeed(options: RunOptions): Promise<SeedRun> {
  const { seed, sides, folder } = options;
  const saved = await saveAll(options);
  const bytes = new Map(sides.map(({ name }) => [name, bytesIn(folder, name)]));
  const loads = await loadAll(options, saved);
  const prunes = await pruneAll(options, saved);
  const figures = Object.fromEntries(
    sides.map((side) => [side.name, figuresOf(side, { saved, loads, prunes, bytes, isSampled: isSampled(options) })]),
  );
  const { stateBytes, floorBytes, floor } = saved;
  return { seed, figures, stateBytes, floorBytes, syncP50: median(floor.syncs), insertP50: median(floor.inserts) };
}

const isSampled = ({ steps }: RunOptions): boolean => steps > ALL_SAVED;

/** Whether a store of whole states saves this step too. */
function savesWhole({ steps }: RunOptions, nth: number): boolean {
  return steps <= ALL_SAVED || nth % Math.floor(steps / SAMPLES) < 2;
}

async function saveAll(options: RunOptions): Promise<Saved> {
  const { seed, steps: count, sides, folder, onProgress } = options;
  const open = await openAll(sides, folder);
  const times: Times = new Map(sides.map(({ name }) => [name, []]));
  const floor = new Floor(folder);
  const steps: Step[] = [];
  const whole = new Set<string | undefined>();
  const states = new Map<string, object>();
  let stateBytes = 0;
  let floorBytes = 0;
  for (const step of workload(seed, count)) {
    const nth = steps.length;
    const isWhole = savesWhole(options, nth);
    for (const [{ name, isWhole: wantsWhole }, side] of rotated([...open], nth)) {
      if (wantsWhole && !isWhole) continue;
      times.get(name)?.push(await milliseconds(() => side.save(step)));
    }
    const newBytes = deltaBytes(states.get(step.parent ?? ''), step.state);
    await floor.measure(newBytes);
    stateBytes += Buffer.byteLength(JSON.stringify(step.state));
    floorBytes += newBytes;
    states.set(step.id, step.state);
    steps.push(step);
    if (isWhole) whole.add(step.id);
    onProgress?.(steps.length);
  }
  floor.close();
  for (const side of open.values()) await side.close();
  const common = steps.filter(({ id, parent }) => whole.has(id) && whole.has(parent));
  return { steps, common, times, floor, stateBytes, floorBytes };
}

async function openAll(sides: readonly SideKind[], folder: string): Promise<Map<SideKind, Side>> {
  const open = new Map<SideKind, Side>();
  for (const side of sides) open.set(side, await side.open(folder));
  return open;
}

type Load = 'coldText' | 'neighbourText' | 'coldValue' | 'neighbourValue' | 'lastValue' | 'page';
type Loads = ReadonlyMap<string, ReadonlyMap<Load, number[]>>;

/** Each with a connection of its own; a neighbour is loaded through the connection that has just loaded its child. */
async function loadAll({ sides, folder, seed }: RunOptions, { common }: Saved): Promise<Loads> {
  const rng = rngOf('loads', seed);
  const loads = new Map(sides.map(({ name }) => [name, new Map<Load, number[]>()]));
  for (let round = 0; round < ROUNDS; round++) {
    const step = rng.pick(common);
    const parent = common.find(({ id }) => id === step.parent) ?? step;
    const last = common.at(-1) ?? step;
    for (const kind of rotated(sides, round)) {
      const times = loads.get(kind.name);
      const note = (name: Load, time: number) => void times?.set(name, [...(times.get(name) ?? []), time]);
      const using = async (work: (side: Side) => Promise<void>) => {
        const side = await kind.open(folder);
        await work(side);
        await side.close();
      };
      await using(async ({ text }) => {
        if (text === undefined) return;
        note('coldText', await loading(kind, step, () => text(step.id)));
        note('neighbourText', await loading(kind, parent, () => text(parent.id)));
      });
      await using(async ({ value }) => {
        note('coldValue', await loading(kind, step, () => value(step.id)));
        note('neighbourValue', await loading(kind, parent, () => value(parent.id)));
      });
      await using(async ({ value }) => note('lastValue', await loading(kind, last, () => value(last.id))));
      await using(async ({ page }) => note('page', await milliseconds(() => page(KEEP))));
    }
  }
  return loads;
}

/** The time of a load alone; what it handed back is compared afterwards. */
async function loading({ name }: SideKind, { id, state }: Step, load: () => Promise<unknown>): Promise<number> {
  let loaded: unknown;
  const time = await milliseconds(async () => {
    loaded = await load();
  });
  const text = typeof loaded === 'string' ? loaded : JSON.stringify(loaded);
  if (text !== JSON.stringify(state)) throw new Error(`${name} handed back another state of ${id} than was saved.`);
  return time;
}

/** One more save that leaves the newest; not where a store has only a sample. */
async function pruneAll(options: RunOptions, { steps }: Saved): Promise<ReadonlyMap<string, number>> {
  const { sides, folder } = options;
  const last = steps.at(-1);
  const prunes = new Map<string, number>();
  if (last === undefined || isSampled(options) || steps.length < KEEP) return prunes;
  const step: Step = { id: `c${steps.length}`, parent: last.id, state: last.state };
  for (const kind of sides) {
    const side = await kind.open(folder, KEEP);
    prunes.set(kind.name, await milliseconds(() => side.prune(step)));
    const left = await side.page(KEEP + 1);
    await side.close();
    if (left !== KEEP) throw new Error(`${kind.name} kept ${left} checkpoints, not ${KEEP}.`);
  }
  return prunes;
}

interface Measured {
  readonly saved: Saved;
  readonly loads: Loads;
  readonly prunes: ReadonlyMap<string, number>;
  readonly bytes: ReadonlyMap<string, number>;
  readonly isSampled: boolean;
}

function figuresOf({ name, isWhole }: SideKind, { saved, loads, prunes, bytes, isSampled }: Measured): Figures {
  const times = saved.times.get(name) ?? [];
  const load = (which: Load) => median(loads.get(name)?.get(which) ?? []);
  const hasText = loads.get(name)?.has('coldText') ?? false;
  const pruned = prunes.get(name);
  const stored = isWhole && isSampled ? undefined : bytes.get(name);
  return {
    saveP50: median(times),
    saveP99: quantile(times, 0.99),
    saveLast: median(times.slice(Math.floor(times.length * 0.9))),
    ...(hasText ? { coldText: load('coldText'), neighbourText: load('neighbourText') } : {}),
    coldValue: load('coldValue'),
    neighbourValue: load('neighbourValue'),
    lastValue: load('lastValue'),
    page: load('page'),
    ...(pruned === undefined ? {} : { prune: pruned }),
    ...(stored === undefined ? {} : { bytes: stored }),
  };
}

/** Of everything whose name begins so, in folders too. */
function bytesIn(folder: string, name: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => new RegExp(`^${name}[./\\\\]`).test(path.slice(folder.length + 1)))
    .reduce((sum, path) => sum + statSync(path).size, 0);
}

/** What a run has written. */
export const emptyFolder = (folder: string): void => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
};
