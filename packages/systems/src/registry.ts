import {
  InspectorError,
  shownTarget,
  type CheckpointSource,
  type Match,
  type OpenOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import { relative, resolve } from 'node:path';
import { discoverStores, type Discovered, type DiscoverOptions } from './registry-discover.ts';
import { explainNothing } from './registry-explain.ts';
import { resolveTarget, targetsIn } from './registry-targets.ts';

export { resolveTarget } from './registry-targets.ts';
export type { Discovered, DiscoverOptions, Unsearched } from './registry-discover.ts';

/** A system that is loaded only when something may be its own. */
export interface SystemEntry {
  readonly id: string;
  readonly label: string;
  readonly load: () => Promise<System>;
  /** Its stores are database files: statements on them can take any time. */
  readonly readsDatabases?: true;
  /** Its stores are read whole: that can take long where they are large, and is done apart from other stores. */
  readonly readsWhole?: true;
}

export interface Detected extends Match {
  /** What matched: the path itself, or a file or folder inside. */
  readonly target: Target;
}

interface Failure {
  readonly path: string;
  readonly error: unknown;
}

export interface Registry {
  /** All matches of a path or address and of the known places inside it, the surest first. @throws InspectorError no_store | unsupported */
  detect(path: string): Promise<readonly Detected[]>;
  /** Opens the surest match of each place. @throws InspectorError no_store, telling what was looked for and found */
  open(path: string, options: OpenOptions): Promise<CheckpointSource[]>;
  /** A system by its id. @throws InspectorError internal */
  system(id: string): Promise<System>;
  /** Known stores in a folder and below it, nearest first, within a time and a count; `onUnsearched` tells what is left. */
  discover(folder: string, options?: DiscoverOptions): Promise<readonly Discovered[]>;
}

/** The systems of others; our own store is added by who starts the program. */
export const foreignSystems: readonly SystemEntry[] = [
  { id: 'kaizen', label: 'Kaizen', load: async () => (await import('./kaizen/index.ts')).kaizenSystem },
  {
    id: 'langgraph',
    label: 'LangGraph',
    readsDatabases: true,
    load: async () => (await import('./langgraph/index.ts')).langgraphSystem,
  },
  {
    id: 'langgraph-dev',
    label: 'LangGraph dev server',
    readsWhole: true,
    load: async () => (await import('./langgraph-dev/index.ts')).langgraphDevSystem,
  },
  {
    id: 'agent-framework',
    label: 'Agent Framework',
    load: async () => (await import('./agent-framework/index.ts')).agentFrameworkSystem,
  },
  {
    id: 'ctx-sys',
    label: 'ctx-sys',
    readsDatabases: true,
    load: async () => (await import('./ctx-sys/system.ts')).ctxSysSystem,
  },
  { id: 'rlm-act', label: 'rlm-act', load: async () => (await import('./rlm-act/index.ts')).rlmActSystem },
];

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
    let failure: { readonly error: unknown } | undefined;
    for (const entry of entries) {
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
  const detectAll = async (path: string): Promise<{ matches: Detected[]; failures: Failure[] }> => {
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
  };
  const system = (id: string): Promise<System> => {
    const entry = entries.find((one) => one.id === id);
    if (entry) return systemOf(entry);
    return Promise.reject(new InspectorError('internal', `No system "${id}" is registered.`));
  };
  const labelOf = ({ system: id }: Detected): string => entries.find((one) => one.id === id)?.label ?? id;
  const openOne = async ({ system: id, target }: Detected, options: OpenOptions): Promise<CheckpointSource[]> => {
    const sources = await (await system(id)).open(target, options);
    for (const source of sources) options.onOpened?.(source, { system: id, target, label: options.label });
    return sources;
  };
  return {
    detect: async (path) => (await detectAll(path)).matches,
    open: async (path, options) => {
      const { matches, failures } = await detectAll(path);
      const root = shownTarget(await resolveTarget(path));
      const chosen = surestPerTarget(matches);
      if (chosen.length === 0) throw await explainNothing(await resolveTarget(path), entries);
      const opened = await openAll(
        chosen,
        (found) => openOne(found, optionsOf(found, options, { root, count: chosen.length, system: labelOf(found) })),
        failures,
      );
      for (const failure of opened.failures)
        options.onFailure?.(relative(root, failure.path) || options.label, failure.error);
      return opened.sources;
    },
    system,
    discover: (folder, discovery) =>
      discoverStores(resolve(folder), async (target) => (await detectTarget(target))[0], discovery),
  };
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
