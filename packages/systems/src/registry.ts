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
import {
  anything,
  databaseWith,
  documents,
  fileWithoutTables,
  orAddress,
  sightOf,
  type MayBe,
} from './registry-sight.ts';
import { resolveTarget, targetsIn } from './registry-targets.ts';

export { databaseWith, orAddress, type MayBe } from './registry-sight.ts';
export { resolveTarget } from './registry-targets.ts';
export type { Discovered, DiscoverOptions, SecondPath, Unsearched } from './registry-discover.ts';

/** A system that is loaded only when something may be its own. */
export interface SystemEntry {
  readonly id: string;
  readonly label: string;
  readonly load: () => Promise<System>;
  /** Whether it is worth loading for a target: never false where the system's `detect` would match. Default: always. */
  readonly mayBe?: MayBe;
  /** Code that this process was given: no other one can open its stores. */
  readonly isInPlace?: true;
  /** Its stores are database files: statements on them can take any time. */
  readonly readsDatabases?: true;
  /** Its stores are read whole: that can take long where they are large, and is done apart from other stores. */
  readonly readsWhole?: true;
  /**
   * Its places below a home folder, and those that the program's own variables name: looked at only when asked, or when a target is one of them. What such a system
   * keeps is a person's private work, wherever it is opened.
   * @example ['.codex', '$CODEX_HOME', '$XDG_DATA_HOME/opencode']
   */
  readonly home?: readonly string[];
  /** How sure its matches are at most: it isn't asked about what another one is as sure of. Default: more than any. */
  readonly surest?: number;
}

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

const hasLangGraph = databaseWith(/^checkpoints$/, ['thread_id', 'checkpoint_id']);

const SURE = 0.95;

/** The systems of others; our own store is added by who starts the program. */
export const foreignSystems: readonly SystemEntry[] = [
  {
    id: 'kaizen',
    label: 'Kaizen',
    surest: SURE,
    mayBe: documents(/\.jsonl(\.gz)?$/),
    load: async () => (await import('./kaizen/index.ts')).kaizenSystem,
  },
  {
    id: 'langgraph',
    label: 'LangGraph',
    readsDatabases: true,
    mayBe: orAddress(hasLangGraph),
    load: async () => (await import('./langgraph/index.ts')).langgraphSystem,
  },
  {
    id: 'langgraph-dev',
    label: 'LangGraph dev server',
    readsWhole: true,
    mayBe: documents(/^\.langgraph/),
    load: async () => (await import('./langgraph-dev/index.ts')).langgraphDevSystem,
  },
  {
    id: 'agent-framework',
    label: 'Agent Framework',
    surest: SURE,
    mayBe: documents(/\.jsonl?$/),
    load: async () => (await import('./agent-framework/index.ts')).agentFrameworkSystem,
  },
  {
    id: 'ctx-sys',
    label: 'ctx-sys',
    readsDatabases: true,
    mayBe: databaseWith(/^(p_.*_)?checkpoints$/s, ['session_id', 'state_json']),
    load: async () => (await import('./ctx-sys/system.ts')).ctxSysSystem,
  },
  {
    id: 'mastra',
    label: 'Mastra',
    readsDatabases: true,
    mayBe: databaseWith(/^mastra_(workflow_snapshot|threads)$/, ['createdAt', 'updatedAt']),
    load: async () => (await import('./mastra/index.ts')).mastraSystem,
  },
  {
    id: 'voltagent',
    label: 'VoltAgent',
    readsDatabases: true,
    mayBe: databaseWith(/_(workflow_states|messages)$/s, ['created_at']),
    load: async () => (await import('./voltagent/index.ts')).voltagentSystem,
  },
  {
    id: 'opencode',
    label: 'opencode',
    home: ['.local/share/opencode', '$XDG_DATA_HOME/opencode'],
    readsDatabases: true,
    mayBe: databaseWith(/^session$/, ['project_id', 'directory', 'revert']),
    load: async () => (await import('./opencode/index.ts')).opencodeSystem,
  },
  {
    id: 'rlm-act',
    label: 'rlm-act',
    surest: SURE,
    mayBe: documents(/\.json$/),
    load: async () => (await import('./rlm-act/index.ts')).rlmActSystem,
  },
  {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    home: ['.gemini', '$GEMINI_CLI_HOME/.gemini', '.qwen'],
    surest: SURE,
    mayBe: documents(/\.jsonl?$/),
    load: async () => (await import('./gemini-cli/index.ts')).geminiCliSystem,
  },
  {
    id: 'openai-agents',
    label: 'OpenAI Agents SDK',
    surest: SURE,
    mayBe: documents(/^[^.].*\.(json|state)$/i),
    load: async () => (await import('./openai-agents/index.ts')).openaiAgentsSystem,
  },
  {
    id: 'codex',
    label: 'Codex',
    home: ['.codex', '$CODEX_HOME'],
    surest: SURE,
    mayBe: documents(/^rollout-.*\.jsonl(\.zst)?$/),
    load: async () => (await import('./codex/index.ts')).codexSystem,
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    home: ['.claude', '.config/claude', '$CLAUDE_CONFIG_DIR'],
    surest: SURE,
    mayBe: documents(/\.jsonl$/),
    load: async () => (await import('./claude-code/index.ts')).claudeCodeSystem,
  },
  {
    id: 'bundle',
    label: 'Bundle',
    mayBe: fileWithoutTables,
    load: async () => (await import('./bundle/index.ts')).bundleSystem,
  },
  {
    id: 'described',
    label: 'Your own format',
    surest: 0,
    mayBe: anything,
    readsDatabases: true,
    load: async () => (await import('./described/index.ts')).describedSystem,
  },
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
  const entryOf = (id: string) => entries.find((one) => one.id === id);
  const system = (id: string): Promise<System> => {
    const entry = entryOf(id);
    if (entry) return systemOf(entry);
    return Promise.reject(new InspectorError('internal', `No system "${id}" is registered.`));
  };
  const labelOf = ({ system: id }: Detected): string => entryOf(id)?.label ?? id;
  const openOne = async ({ system: id, target }: Detected, options: OpenOptions): Promise<CheckpointSource[]> => {
    const [entry, own] = [entryOf(id), await system(id)];
    const sources = entry?.home ? await openPrivate(own, target, options) : await own.open(target, options);
    if (entry?.isInPlace) return sources;
    for (const source of sources) options.onOpened?.(source, { system: id, target, label: options.label });
    return sources;
  };
  const surest = async (target: Target): Promise<Match | undefined> => (await detectTarget(target))[0];
  const search = (folder: string, discovery?: DiscoverOptions) =>
    discoverStores(folder, surest, { ...discovery, unasked: homePlaces(entries, homedir()) });
  return {
    detect: async (path) => (await detectAll(path)).matches,
    open: async (path, options) => {
      const named = await resolveTarget(path);
      const { matches, failures } = await detectAll(path);
      const root = shownTarget(named);
      const direct = surestPerTarget(matches);
      const chosen = direct.length > 0 ? direct : await foundBelow(named, search);
      if (chosen.length === 0) throw await nothingAt(path, entries);
      const opened = await openAll(
        chosen,
        (found) => openOne(found, optionsOf(found, options, { root, count: chosen.length, system: labelOf(found) })),
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
