import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { journalFolder, openJournalWhenNeeded, type Journal } from '@checkpoint-inspector/changes';
import {
  createIsolation,
  createMasking,
  defaultRegistry,
  isMasked,
  labelOf,
  storesOver,
} from '@checkpoint-inspector/inspector';
import type { Inspector, Isolate, Masking, StoreService } from '@checkpoint-inspector/inspector';
import { assertNoPassword, compact, InspectorError, isAddress, shownAddress } from '@checkpoint-inspector/core';
import { logBeside, startScratch } from '@checkpoint-inspector/io';
import type { CheckpointSource, Masker } from '@checkpoint-inspector/core';
import type { DiscoverOptions, Unsearched } from '@checkpoint-inspector/systems/registry';
import { ownSystems } from './own-system.ts';
import type { CommandLine } from './command-line.ts';
import { recoveredLine } from './interrupted.ts';
import { printable } from './table.ts';
import { maskWith, type Output } from './output.ts';

export interface KeyOptions {
  /** A module that reads a format of one's own. */
  readonly system?: string;
  readonly keyFile?: string;
  readonly askKey?: boolean;
}

/** Open stores with everything that a command needs; `close` closes all of it. */
export interface Workspace {
  readonly stores: StoreService;
  readonly journal: Journal;
  readonly masking: Masking;
  /** What the stores answer to a question that goes to all of them. */
  readonly answers: Answers;
  sources(): readonly CheckpointSource[];
  /** Whatever more can be asked of the stores; loaded when it is first asked for, because lists need none of it. */
  inspector(): Promise<Inspector>;
  close(): Promise<void>;
}

/** What each command gets. */
export interface Run {
  readonly workspace: Workspace;
  readonly output: Output;
  /** For commands to copy: they open the same stores. */
  readonly command: CommandLine;
}

/** `name=path` gives a store a name; a bare path is named after its file or folder. @throws InspectorError invalid_input */
function parseTarget(given: string, masker: Masker): { path: string; name?: string } {
  const text = existsSync(given) ? given : unmaskedPath(given, masker);
  if (text === '')
    throw new InspectorError('invalid_input', 'The path of a store is empty.', {
      remedy: 'Name a file, a folder, or the address of a PostgreSQL database.',
    });
  const [, name, path] = /^([^=/\\.:]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined || existsSync(text)) return { path: placeIn(text) };
  if (!isAddress(path.trim())) assertNoPassword(text);
  if (/^[a-z0-9-]+$/.test(name)) return { path: placeIn(path), name };
  throw new InspectorError('invalid_input', `"${name}" can't be the name of a store.`, {
    remedy: 'Use only a-z, 0-9 and "-" in a name, such as prod=./checkpoints.sqlite.',
  });
}

function placeIn(text: string): string {
  const address = text.trim();
  if (isAddress(address)) return address;
  if (!existsSync(text)) assertNoPassword(text);
  return resolve(text);
}

/** A path as a table shows it: each masked part is the one entry of its folder that is shown so. */
function unmaskedPath(text: string, masker: Masker): string {
  if (isAddress(text) || !isMasked(text)) return text;
  const parts = text.split('/').reduce<string[]>((before, part) => {
    if (!isMasked(part)) return [...before, part];
    const folder = resolve(before.join('/') || (text.startsWith('/') ? '/' : '.'));
    const same = existsSync(folder) ? readdirSync(folder).filter((one) => masker.text(one) === part) : [];
    return [...before, same.length === 1 ? (same[0] ?? part) : part];
  }, []);
  return parts.join('/');
}

/** @throws InspectorError invalid_input */
export function wholeNumber(option: string, text: string, range: { from: number; to: number }): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.from && value <= range.to) return value;
  throw new InspectorError(
    'invalid_input',
    `${option} must be a whole number from ${range.from} to ${range.to}, not "${text}".`,
  );
}

export interface WorkspaceOptions extends KeyOptions {
  readonly readOnly: boolean;
  /** Default: the user's state folder. */
  readonly journalFolder?: string;
  /** Told of a target that cannot be opened, while the others are. Default: a note, or the end where none opens. */
  readonly onFailure?: (target: string, error: InspectorError) => void;
  /** Stays and serves: a target that is slow or cannot be read is named there, and the others are opened. */
  readonly serves?: boolean;
  /** Looks at the known places below the home folder; without targets, at nothing else. */
  readonly home?: boolean;
  /** The person agrees that the search index of the private stores among them is kept. */
  readonly indexPrivate?: boolean;
  /** Continues where no store was named and none is found. */
  readonly mayBeEmpty?: boolean;
  /** In how many folders stores are looked for where none was named. */
  readonly maxFolders?: number;
  /** Ends changes of these stores that were cut off, before anything else; default: unless `readOnly`. */
  readonly recover?: boolean;
  /** The key of masked names may be made in the journal; default: unless `readOnly`. */
  readonly makesKey?: boolean;
}

type Notes = Pick<Output, 'note' | 'json'>;

/** Something beside the answer, in the form that was asked for. */
export const tellIn = ({ note, json }: Notes, message: string): void =>
  note(json ? JSON.stringify({ note: message }) : `note: ${message}`);

/** After a change of a SQLite file: people copy the file alone. */
export function tellLogOf(notes: Notes, path: string | undefined): void {
  const log = path === undefined || !isAbsolute(path) ? undefined : logBeside(path);
  if (path === undefined || log === undefined) return;
  const [name, beside] = [path, log].map((one) => printable(basename(one)));
  tellIn(notes, `another process has ${name} open; until it ends, copy ${beside} together with ${name}.`);
}

/** Opens the named targets, or every known store below the working folder. @throws InspectorError no_store */
export async function openWorkspace(
  targets: readonly string[],
  options: WorkspaceOptions,
  notes?: Notes,
): Promise<Workspace> {
  const { serves = false } = options;
  startScratch();
  // A slow or hostile database must not hold up the other stores; where there are no others a process less is quicker.
  const registry = defaultRegistry(
    serves || targets.length !== 1 ? isolation() : undefined,
    await ownSystems(options.system),
  );
  const tell = (message: string) => (notes ? tellIn(notes, message) : undefined);
  const search: DiscoverOptions = {
    onUnsearched: (rest) => tell(unsearchedWords(rest)),
    onSecondPath: ({ path, of }) => tell(`${path} is the same store as ${of}, and is opened once.`),
  };
  const atHome = options.home ? await registry.discoverHome(homedir(), search) : [];
  const folder = options.journalFolder ?? journalFolder(process.env, process.platform);
  const journal = openJournalWhenNeeded({
    folder,
    onUnavailable: ({ message, remedy }) =>
      tell(`labels, notes, proposals and recorded parents are not shown. ${message} ${remedy}`),
  });
  const { readOnly, makesKey = !readOnly } = options;
  const masking = createMasking({ journal, readOnly: !makesKey });
  maskWith(masking.masker());
  const isTold = targets.length > 0 || options.home;
  const below = isTold
    ? targets.map((one) => parseTarget(one, masking.masker()))
    : await registry.discover(process.cwd(), { ...search, ...compact({ maxFolders: options.maxFolders }) });
  const wanted = toldApart([...below, ...atHome]);
  if (wanted.length === 0 && !options.mayBeEmpty) throw noneFound(options);

  const key = await readKey(options);
  const stores = storesOver(journal, { registry, stateFolder: folder });
  let loaded: Promise<Inspector> | undefined;
  const inspector = (): Promise<Inspector> =>
    (loaded ??= import('./inspector-over.ts').then(({ inspectorOver }) =>
      inspectorOver({
        stores,
        journal,
        masking,
        readOnly,
        searchFolder: folder,
        ...(serves
          ? { worker: besideCommand('state-worker.js'), searchWorker: besideCommand('search-index.js') }
          : { waitMs: TO_THE_END }),
      }),
    ));
  const close = async () => {
    await (loaded === undefined ? stores.closeAll() : (await loaded).close());
    journal.close();
  };
  try {
    if (serves) await stores.openAll(wanted.map(({ path, ...named }) => ({ location: path, ...named })));
    else {
      const { onFailure } = options;
      await openTargets(stores, wanted, onFailure ?? failureTold(tell), onFailure !== undefined);
    }
    if (options.indexPrivate) agreeForAll(stores);
    if (key !== undefined) await unlockStores(stores, key);
    if (options.recover ?? !readOnly) {
      for (const one of await (await inspector()).changes.recover()) tell(recoveredLine(one));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const sources = () => stores.list().map(({ id }) => stores.source(id));
  return { stores, journal, masking, answers: createAnswers(tell), sources, inspector, close };
}

/** Stores whose paths end alike get names that tell which is which, whatever the order in which they are opened. */
function toldApart(targets: readonly Wanted[]): readonly Wanted[] {
  const places = targets.filter(({ path }) => !isAddress(path)).map(({ path }) => resolve(path));
  return targets.map((target) => {
    if (target.name !== undefined || isAddress(target.path)) return target;
    const place = resolve(target.path);
    const name = labelOf(place, places);
    return name === labelOf(place) ? target : { ...target, name };
  });
}

interface Wanted {
  readonly path: string;
  readonly name?: string;
}

function noneFound({ home }: WorkspaceOptions): InspectorError {
  if (home) return new InspectorError('no_store', `Nothing that a coding agent keeps was found in ${homedir()}.`);
  return new InspectorError('no_store', `No checkpoints found below ${process.cwd()}.`, {
    remedy:
      'Name a file or folder that contains checkpoints, look for coding agents in your home folder with --home, or try --demo.',
  });
}

function agreeForAll(stores: StoreService): void {
  for (const info of stores.list()) if (info.private) stores.agreeToKeep(info.id);
}

/** A command waits until all is searched. */
export const TO_THE_END = 2 ** 31 - 1;

/** A file that is built beside the command; this module may be in a chunk, one folder below it. */
export const besideCommand = (name: string): URL =>
  pathToFileURL(join(import.meta.dirname.replace(/[/\\]chunks$/, ''), name));

/** The process that reads one database is beside the bundled command; there is none among the sources. */
function isolation(): Isolate | undefined {
  const entry = besideCommand('store-reader.js');
  return existsSync(entry) ? createIsolation({ entry }) : undefined;
}

type OnFailure = NonNullable<WorkspaceOptions['onFailure']>;

const failureTold =
  (tell: (message: string) => void): OnFailure =>
  (target, { message, remedy }) =>
    tell(`${target} could not be opened, and is left out. ${message} ${remedy}`);

/** One that fails doesn't block the others. @throws what kept the first one shut, where none opens and nobody asked to be told */
async function openTargets(
  stores: StoreService,
  targets: readonly Wanted[],
  onFailure: OnFailure,
  isAsked: boolean,
): Promise<void> {
  const failed: { readonly target: string; readonly error: InspectorError }[] = [];
  for (const { path, name } of targets) {
    try {
      await stores.open(path, name);
    } catch (error) {
      failed.push({ target: shownAddress(path), error: InspectorError.from(error) });
    }
  }
  const [first] = failed;
  if (first && !isAsked && stores.list().length === 0) throw first.error;
  for (const { target, error } of failed) onFailure(target, error);
}

const unsearchedWords = ({ searched, left, first, because }: Unsearched): string =>
  `${searched.toLocaleString('en')} folders were searched for stores, ${left.toLocaleString('en')} or more were not (${
    { time: 'it took too long', folders: 'there are too many', stores: 'enough stores were found' }[because]
  }), beginning with ${first}. Name a store, or start in a folder closer to it.`;

/** Asks several stores; one that fails or is too slow does not keep anyone from the others. */
export interface Answers {
  /** What each store answered, in their order. One that fails is left out, and is not asked again. */
  of<T>(sources: readonly CheckpointSource[], ask: (source: CheckpointSource) => Promise<T>): Promise<T[]>;
  /** For a search that found something: names the stores that were left out, each once. */
  tellFailed(): void;
  /** For a search that found nothing. @throws what kept the first store from answering */
  assertAll(): void;
}

export function createAnswers(tell: (message: string) => void): Answers {
  const failed = new Map<CheckpointSource, InspectorError>();
  const told = new Set<CheckpointSource>();
  return {
    async of<T>(sources: readonly CheckpointSource[], ask: (source: CheckpointSource) => Promise<T>): Promise<T[]> {
      const asked = sources.filter((source) => !failed.has(source));
      const answers = await Promise.allSettled(asked.map(async (source) => ask(source)));
      const got: T[] = [];
      for (const [at, source] of asked.entries()) {
        const answer = answers[at];
        if (answer?.status === 'fulfilled') got.push(answer.value);
        else failed.set(source, InspectorError.from(answer?.reason));
      }
      return got;
    },
    tellFailed() {
      for (const [source, { message, remedy }] of failed) {
        if (told.has(source)) continue;
        told.add(source);
        tell(`the store "${source.info.id}" was not searched. ${message} ${remedy}`);
      }
    },
    assertAll() {
      for (const error of failed.values()) throw error;
    },
  };
}

/**
 * The key of encrypted stores: from a file, a prompt, or CHECKPOINT_INSPECTOR_KEY.
 * Never an argument: those are seen by every user of the machine.
 * @throws InspectorError invalid_input
 */
async function readKey({ keyFile, askKey }: KeyOptions): Promise<string | undefined> {
  if (keyFile !== undefined) return nonBlank(fromFile(keyFile), `The key file "${keyFile}"`);
  if (askKey) return nonBlank(await ask(), 'The key');
  const given = process.env['CHECKPOINT_INSPECTOR_KEY'];
  return given === undefined ? undefined : nonBlank(given, 'CHECKPOINT_INSPECTOR_KEY');
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new InspectorError('invalid_input', `The key file "${path}" can't be read.`, { cause });
  }
}

function nonBlank(key: string, name: string): string {
  if (key.trim() !== '') return key;
  throw new InspectorError('invalid_input', `${name} is blank.`, {
    remedy: 'Use a passphrase, or 64 hex digits for a raw key.',
  });
}

/** Reads a line without showing it. */
function ask(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new InspectorError('invalid_input', "Can't ask for the key: this isn't a terminal.", {
      remedy: 'Use --key-file or CHECKPOINT_INSPECTOR_KEY.',
    });
  }
  process.stderr.write('Key: ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  return new Promise((resolve) =>
    lines.question('', (answer) => {
      lines.close();
      process.stderr.write('\n');
      resolve(answer);
    }),
  );
}

/** Tries the key on every store that has locks. @throws InspectorError wrong_key, when it opens none of them */
async function unlockStores(stores: StoreService, key: string): Promise<void> {
  const lockable = stores.list().filter(({ id }) => stores.source(id).unlock !== undefined);
  const results = await Promise.allSettled(lockable.map(({ id }) => stores.unlock(id, key)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0 && failures.length === results.length) throw InspectorError.from(failures[0]);
}
