import {
  InspectorError,
  overlaid,
  shownTarget,
  type CheckpointSource,
  type Match,
  type OpenOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { discoverPlaces, discoverStores, type Discovered, type DiscoverOptions } from './registry-discover.ts';
import type { SystemEntry } from './registry-entries.ts';
import { sightOf } from './registry-sight.ts';
import { resolveTarget, targetsIn } from './registry-targets.ts';

export { foreignSystems, type SystemEntry } from './registry-entries.ts';
export { databaseWith, orAddress, type MayBe } from './registry-sight.ts';
export { resolveTarget } from './registry-targets.ts';
export type { Discovered, DiscoverOptions, SecondPath, Unsearched } from './registry-discover.ts';

export interface Detected extends Match {
  /** What matched: the path itself, or a file or folder inside. */
  readonly target: Target;
}

interface Failure {
  readonly path: string;
  readonly error: unknown;
}

/** Whether a target is of a system, and why. */
export interface Verdict {
  readonly system: string;
  readonly matches: boolean;
  /** In words that contain nothing of the target but counts. */
  readonly because: string;
}

export interface Registry {
  /** What every system says of one target. Those inside it are not asked about. */
  verdicts(target: Target): Promise<readonly Verdict[]>;
  /** All matches of a path or address and of the known places inside it, the surest first. @throws InspectorError no_store | unsupported */
  detect(path: string): Promise<readonly Detected[]>;
  /** Opens the surest match of each place. @throws InspectorError no_store, telling what was looked for and found */
  open(path: string, options: OpenOptions): Promise<CheckpointSource[]>;
  /** A system by its id. @throws InspectorError internal */
  system(id: string): Promise<System>;
  /** Known stores in a folder and below it, nearest first, within a time and a count; `onUnsearched` tells what is left. */
  discover(folder: string, options?: DiscoverOptions): Promise<readonly Discovered[]>;
  /** Stores in the known places below a home folder, within a time; what else is there isn't looked at. */
  discoverHome(home: string, options?: DiscoverOptions): Promise<readonly Discovered[]>;
}

/** Finds the system that a file or folder belongs to, and opens it. */
export function createRegistry(entries: readonly SystemEntry[]): Registry {
  const loaded = new Map<string, Promise<System>>();
  const systemOf = (entry: SystemEntry): Promise<System> => {
    const system = loaded.get(entry.id) ?? entry.load();
    loaded.set(entry.id, system);
    return system;
  };
  const detectTarget = async (target: Target): Promise<Detected[]> => {
    const matches: Detected[] = [];
    const sight = sightOf(target);
    let failure: { readonly error: unknown } | undefined;
    for (const entry of entries) {
      if (entry.mayBe?.(sight) === false) continue;
      const { surest = Infinity } = entry;
      if (matches.some(({ confidence }) => confidence >= surest)) continue;
      // What keeps one system from opening a database keeps the others from it too; a file of another kind is not one.
      if (failure && entry.readsDatabases) continue;
      try {
        const match = await (await systemOf(entry)).detect(target);
        if (match) matches.push({ ...match, target });
      } catch (error) {
        failure ??= { error };
      }
    }
    if (matches.length === 0 && failure) throw failure.error;
    return matches.toSorted((a, b) => b.confidence - a.confidence);
  };
  const entryOf = (id: string) => entries.find((one) => one.id === id);
  const system = (id: string): Promise<System> => {
    const entry = entryOf(id);
    if (entry) return systemOf(entry);
    return Promise.reject(new InspectorError('internal', `No system "${id}" is registered.`));
  };
  const surest = async (target: Target): Promise<Match | undefined> => (await detectTarget(target))[0];
  const search = (folder: string, discovery?: DiscoverOptions) =>
    discoverStores(folder, surest, { ...discovery, unasked: homePlaces(entries, homedir()) });
  return {
    detect: async (path) => (await detectAll(path, detectTarget)).matches,
    open: async (path, options) => {
      const named = await resolveTarget(path);
      const { matches, failures } = await detectAll(path, detectTarget);
      const root = shownTarget(named);
      const direct = surestPerTarget(matches);
      const chosen = direct.length > 0 ? direct : await foundBelow(named, search);
      if (chosen.length === 0) throw await nothingAt(path, entries);
      const opened = await openAll(
        chosen,
        async (found) =>
          openAs(
            await system(found.system),
            entryOf(found.system),
            found,
            optionsOf(found, options, {
              root,
              count: chosen.length,
              system: entryOf(found.system)?.label ?? found.system,
            }),
          ),
        failures,
      );
      for (const { path: at, error } of opened.failures)
        options.onFailure?.(relative(root, at) || options.label, error);
      return opened.sources;
    },
    system,
    verdicts: (target) => Promise.all(entries.map((entry) => verdictOf(entry, target, systemOf))),
    discover: (folder, discovery) => search(resolve(folder), discovery),
    discoverHome: (home, discovery) => discoverPlaces(homePlaces(entries, resolve(home)), surest, discovery),
  };
}

async function detectAll(
  path: string,
  detectTarget: (target: Target) => Promise<Detected[]>,
): Promise<{ matches: Detected[]; failures: Failure[] }> {
  const targets = await targetsIn(await resolveTarget(path));
  const matches: Detected[] = [];
  const failures: Failure[] = [];
  await Promise.all(
    targets.map((target) =>
      detectTarget(target).then(
        (found) => matches.push(...found),
        (error: unknown) => failures.push({ path: shownTarget(target), error }),
      ),
    ),
  );
  // A damaged database beside a good store must not hide it; alone it is the reason to show.
  if (matches.length === 0 && failures[0]) throw failures[0].error;
  return { matches: matches.toSorted(bySurest), failures };
}

/** A folder without a store of its own means those further down, as for whoever works in it. */
async function foundBelow(
  target: Target,
  search: (folder: string) => Promise<readonly Discovered[]>,
): Promise<Detected[]> {
  if (target.kind !== 'path' || target.is === 'file') return [];
  const found = await search(target.path);
  return Promise.all(found.map(async ({ path, match }) => ({ ...match, target: await resolveTarget(path) })));
}

/** Each once; those of variables that aren't set are left out. */
function homePlaces(entries: readonly SystemEntry[], home: string): readonly string[] {
  const places = entries.flatMap((entry) => entry.home ?? []).flatMap((place) => placeIn(home, place));
  return [...new Set(places)];
}

function placeIn(home: string, place: string): readonly string[] {
  const [, variable, inside = ''] = /^\$(\w+)(\/.*)?$/.exec(place) ?? [];
  if (variable === undefined) return [join(home, place)];
  const value = process.env[variable];
  return value === undefined || !isAbsolute(value) ? [] : [join(value, inside)];
}

async function openAs(
  system: System,
  entry: SystemEntry | undefined,
  { system: id, target }: Detected,
  options: OpenOptions,
): Promise<CheckpointSource[]> {
  const sources = entry?.home ? await openPrivate(system, target, options) : await system.open(target, options);
  if (entry?.isInPlace) return sources;
  for (const source of sources) options.onOpened?.(source, { system: id, target, label: options.label });
  return sources;
}

/** Its sources say that they hold a person's private work, and keep nothing of what they read. */
async function openPrivate(system: System, target: Target, options: OpenOptions): Promise<CheckpointSource[]> {
  const opened = await system.open(target, { ...options, stateFolder: undefined });
  return opened.map((source) =>
    overlaid(source, {
      get info() {
        return { ...source.info, private: true as const };
      },
    }),
  );
}

async function verdictOf(
  entry: SystemEntry,
  target: Target,
  load: (entry: SystemEntry) => Promise<System>,
): Promise<Verdict> {
  const { id, mayBe } = entry;
  const no = (because: string): Verdict => ({ system: id, matches: false, because });
  if (mayBe?.(sightOf(target)) === false) return no(`it looks for ${mayBe.wants ?? 'something else'}`);
  try {
    const match = await (await load(entry)).detect(target);
    if (match === undefined) return no('it could be one by its kind or its name, but its content is different');
    // Of an address it names schemas.
    return { system: id, matches: true, because: target.kind === 'address' ? 'its tables' : match.because };
  } catch (error) {
    return no(`it can't be read: ${InspectorError.from(error).code}`);
  }
}

/** Ties by path, so that the same folder always opens in the same order. */
function bySurest(a: Detected, b: Detected): number {
  if (a.confidence !== b.confidence) return b.confidence - a.confidence;
  return shownTarget(a.target) < shownTarget(b.target) ? -1 : 1;
}

/** A file belongs to one system; a database on a server may hold the tables of several. */
function surestPerTarget(matches: readonly Detected[]): Detected[] {
  const chosen = new Map<string, Detected>();
  for (const match of matches) {
    const place = match.target.kind === 'address' ? match.system : shownTarget(match.target);
    if (!chosen.has(place)) chosen.set(place, match);
  }
  return [...chosen.values()];
}

/** What one of several matches is found in, and the label of its system. */
interface Among {
  readonly root: string;
  readonly count: number;
  readonly system: string;
}

/** In a folder of several stores each is called by its own name, in a database by its system. */
function optionsOf({ target }: Detected, options: OpenOptions, among: Among): OpenOptions {
  if (among.count === 1) return options;
  if (target.kind !== 'path') return { ...options, label: `${options.label} ${among.system}` };
  const inside = relative(among.root, target.path);
  if (inside === '') return options;
  const location = options.location.endsWith('/') ? options.location + inside : `${options.location}/${inside}`;
  return { ...options, label: inside, location };
}

/** One store that fails does not keep the others shut; only if none opens the first reason is thrown. */
async function openAll(
  chosen: readonly Detected[],
  openOne: (found: Detected) => Promise<CheckpointSource[]>,
  before: readonly Failure[],
): Promise<{ sources: CheckpointSource[]; failures: readonly Failure[] }> {
  const sources: CheckpointSource[] = [];
  const failures = [...before];
  for (const found of chosen) {
    try {
      sources.push(...(await openOne(found)));
    } catch (error) {
      failures.push({ path: shownTarget(found.target), error });
    }
  }
  if (sources.length === 0 && failures[0]) throw failures[0].error;
  return { sources, failures };
}

/** What explains it is loaded where there is something to explain. */
async function nothingAt(path: string, systems: readonly { readonly label: string }[]): Promise<InspectorError> {
  const { explainNothing } = await import('./registry-explain.ts');
  return explainNothing(await resolveTarget(path), systems);
}
