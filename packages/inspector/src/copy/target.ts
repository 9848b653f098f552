/** Where a copy goes: a store of our own, made where there is none, or one that agents can save to through us. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { assertNoPassword, InspectorError, isAddress, shownAddress, storeIdFrom } from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  NewCheckpoint,
  NewWrite,
  OpenedAs,
} from '@checkpoint-inspector/core';
import { isPostgresAddress, lookInto, realPath, type SqliteDatabase } from '@checkpoint-inspector/io';
import type { PostgresStore } from '@checkpoint-inspector/stores/postgres';
import type { SqliteStore } from '@checkpoint-inspector/stores/sqlite';
import type { Opener } from '../stores/service.ts';

type OwnStore = SqliteStore | PostgresStore;

export interface CopyTarget {
  readonly system: string;
  readonly label: string;
  /** Whether a checkpoint keeps its id; else the system gives its own. */
  readonly keepsIds: boolean;
  /** How many checkpoints of a task it keeps; absent: all, or by rules that are its own. */
  maxPerTask(): Promise<number | undefined>;
  /** What is there; absent while there is no file. */
  current(): Promise<CheckpointSource | undefined>;
  save(checkpoint: NewCheckpoint): Promise<CheckpointMeta>;
  /** Adds what steps wrote, and overwrites nothing; absent where the target has no place for it. */
  saveWrites?(ref: CheckpointRef, writes: readonly NewWrite[]): Promise<void>;
  /** The store as a program that opens it now reads it. */
  reopened(): Promise<CheckpointSource>;
  close(): Promise<void>;
}

/** The store that is copied: a target inside it, or that is it, is refused. */
export interface CopyFrom {
  readonly source: CheckpointSource;
  readonly as?: OpenedAs | undefined;
}

/** @throws InspectorError invalid_input */
export function assertBundle(as: OpenedAs | undefined, { info }: CheckpointSource): void {
  if (as?.system === 'bundle') return;
  throw new InspectorError('invalid_input', `${info.label} isn't a bundle.`, {
    remedy: 'Copy a store with: checkpoint-inspector copy <from> <to>.',
  });
}

/**
 * Opens or prepares a target. Nothing is made before the first save.
 * @throws InspectorError unsupported (with the reason) | invalid_input | no_store | unreadable
 */
export async function openCopyTarget(location: string, from: CopyFrom, opener: Opener): Promise<CopyTarget> {
  if (isAddress(location)) return ownSchema(location, from);
  assertNoPassword(location);
  const path = resolve(location);
  assertApart(path, from);
  if (!existsSync(path)) return newFile(path);
  if (isBlank(path)) return ownFile(path);
  const names: string[] = [];
  const options = {
    label: basename(path),
    location,
    nameStore: (name: string) => {
      const id = storeIdFrom(name, (taken) => names.includes(taken));
      names.push(id);
      return id;
    },
  };
  const sources = await opener.open(path, options);
  const [source, ...others] = sources;
  const refused = refusalOf(location, sources);
  if (source === undefined || refused !== undefined) {
    for (const one of sources) await one.close?.();
    throw refused ?? new InspectorError('no_store', `${location} contains no store.`);
  }
  for (const one of others) await one.close?.();
  if (source.info.system !== 'native') return byItsRules(source);
  await source.close?.();
  return ownFile(path);
}

function refusalOf(location: string, [source, ...others]: readonly CheckpointSource[]): InspectorError | undefined {
  const remedy = 'Name a file of this program, or one that does not exist yet.';
  if (others.length > 0)
    return new InspectorError('unsupported', `${location} contains ${others.length + 1} stores.`, { remedy });
  if (source === undefined || source.save !== undefined) return undefined;
  const why = `${location} is a store of ${source.info.system}, which can be copied from, not to: only the system itself writes new checkpoints there.`;
  return new InspectorError('unsupported', why, { remedy });
}

/** What an interrupted copy leaves: an empty file, or a database without a table. */
function isBlank(path: string): boolean {
  const stat = statSync(path);
  return stat.isFile() && (stat.size === 0 || lookInto(path, hasTables) === false);
}

const hasTables = (database: SqliteDatabase): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined;

/** @throws InspectorError invalid_input where the copy would be written to what is copied */
function assertApart(path: string, { source, as }: CopyFrom): void {
  const places = [source.info.identity, as?.target.kind === 'path' ? as.target.path : undefined];
  for (const place of places) {
    if (place === undefined || !existsSync(place)) continue;
    const found = statSync(place);
    if (existsSync(path) && isSameFile(found, statSync(path))) throw sameStore('another file');
    if (found.isDirectory() && isInside(realPath(place), path))
      throw new InspectorError('invalid_input', 'The target is inside the store that is copied.', {
        remedy: 'Name another file as the target.',
      });
  }
}

const sameStore = (other: string): InspectorError =>
  new InspectorError('invalid_input', 'Source and target are the same store.', {
    remedy: `Name ${other} as the target.`,
  });

/** Under whichever name. */
export const isSameFile = (a: { dev: number; ino: number }, b: { dev: number; ino: number }): boolean =>
  a.dev === b.dev && a.ino === b.ino;

/** @param folder its real path @param path of a file that need not exist */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, resolve(realPath(dirname(path)), basename(path)));
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

async function newFile(path: string): Promise<CopyTarget> {
  if (!existsSync(dirname(path)))
    throw new InspectorError('invalid_input', `The folder ${dirname(path)} doesn't exist.`, {
      remedy: 'Create the folder first, or name another file.',
    });
  return ownFile(path);
}

/** Our own stores are loaded when one is opened. */
async function ownFile(path: string): Promise<CopyTarget> {
  const { openSqliteStore } = await import('@checkpoint-inspector/stores/sqlite');
  return ownStore(
    basename(path),
    async () => (existsSync(path) && !isBlank(path) ? openSqliteStore({ path, readOnly: true }) : undefined),
    () => openSqliteStore({ path }),
  );
}

/** The schema that the address names. @throws InspectorError invalid_input (the source) | no_store | wrong_key | … */
async function ownSchema(url: string, { source }: CopyFrom): Promise<CopyTarget> {
  if (!isPostgresAddress(url))
    throw new InspectorError('unsupported', `Checkpoints can't be copied to ${shownAddress(url)}.`, {
      remedy: 'Name a SQLite file, or a PostgreSQL database and its schema: postgres://…?schema=name.',
    });
  const { findPostgresStore, openPostgresStore } = await import('@checkpoint-inspector/stores/postgres');
  const found = await findPostgresStore({ url });
  await found?.close();
  if (found !== undefined && found.info.identity === source.info.identity) throw sameStore('another schema');
  return ownStore(
    found?.info.label ?? shownAddress(url),
    () => findPostgresStore({ url }),
    () => openPostgresStore({ url }),
  );
}

/** @param find opens what is there, read-only */
function ownStore(
  label: string,
  find: () => Promise<OwnStore | undefined>,
  openOrMake: () => Promise<OwnStore>,
): CopyTarget {
  let writer: OwnStore | undefined;
  let looking: Promise<OwnStore | undefined> | undefined;
  const reopened: OwnStore[] = [];
  const current = async (): Promise<OwnStore | undefined> => writer ?? (looking ??= find());
  return {
    system: 'native',
    label,
    keepsIds: true,
    maxPerTask: async () => (await current())?.maxPerTask,
    current,
    async save(checkpoint) {
      writer ??= await openOrMake();
      return writer.save(checkpoint, { ifExists: 'refuse' });
    },
    async saveWrites(ref, writes) {
      writer ??= await openOrMake();
      await writer.saveWrites(ref, writes, { ifExists: 'keep' });
    },
    async reopened() {
      const store = await find();
      if (store === undefined) throw new InspectorError('no_store', `${label}: the store is gone.`);
      reopened.push(store);
      return store;
    },
    async close() {
      for (const store of [await looking, ...reopened, writer]) await store?.close();
    },
  };
}

function byItsRules(source: CheckpointSource): CopyTarget {
  return {
    system: source.info.system,
    label: source.info.label,
    keepsIds: false,
    maxPerTask: async () => undefined,
    current: async () => source,
    async save(checkpoint) {
      if (source.save) return source.save(checkpoint);
      throw new InspectorError('unsupported', `${source.info.label} can't be saved to.`);
    },
    reopened: async () => source,
    close: async () => source.close?.(),
  };
}
