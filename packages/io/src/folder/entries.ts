import { statfs } from 'node:fs/promises';
import { watch } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Unwatch } from '@checkpoint-inspector/core';
import { fileEntries, fileEntry, fileStamp, listFolder, type FileEntry } from '../files/list.ts';

/** What is different in a folder since the look before. */
export interface EntriesChange {
  /** Added, written, or replaced. */
  readonly changed: readonly FileEntry[];
  readonly removed: readonly string[];
}

const POLL_MS = 2000;
const DEBOUNCE_MS = 100;
/** File systems keep times as coarse as two seconds: what was written just before a look may have the same time. */
const COARSE_MS = 3_000;
/** So many files are compared with the disk at each poll where the system reports every change. */
const SAMPLE = 500;
/** More names than this are looked for by listing the folder. */
const MOST_NAMES = 2_000;

/**
 * Types of Linux's own file systems, which report every change: ext, XFS, Btrfs, F2FS, ZFS, tmpfs, ramfs, overlay,
 * eCryptfs. On all others, most of all over a network, another machine may write and nothing tells.
 */
const LOCAL = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x858458f6, 0x794c7630, 0xf15f,
]);

/** The entries of one folder, and what changed in it. Between two changes the disk isn't asked. */
export class FolderEntries {
  readonly #path: string;
  readonly #apply: (change: EntriesChange) => void;
  #entries = new Map<string, FileEntry>();
  #events: { readonly ino: bigint; readonly stop: () => void } | undefined;
  /** The system reports every change in the folder. */
  #isTold = false;
  #doubted = false;
  #started = false;
  #all = true;
  #names = new Set<string>();
  /** The folder itself at the last look; its time changes with every name that comes or goes. */
  #folder: FileEntry | undefined;
  #lookedAt = 0;
  #running: Promise<unknown> = Promise.resolve();
  #queued: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();
  #untold = false;
  #telling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  #sampled: Iterator<FileEntry> | undefined;

  constructor(path: string, apply: (change: EntriesChange) => void) {
    this.#path = path;
    this.#apply = apply;
  }

  /** From the next look on, changes are told by the system where it can. */
  start(): void {
    this.#started = true;
  }

  stop(): void {
    this.#started = false;
    this.#listeners.clear();
    this.#unsubscribe();
    clearTimeout(this.#telling);
    clearTimeout(this.#polling);
    this.#telling = undefined;
    this.#polling = undefined;
  }

  /** Calls back after entries changed, at most every 100 ms; a poll finds what the system does not report. */
  follow(onChange: () => void, pollMs = POLL_MS): Unwatch {
    const listener = (): void => onChange();
    this.start();
    if (this.#listeners.size === 0) this.#untold = false;
    this.#listeners.add(listener);
    if (this.#polling === undefined) this.#pollIn(this.#isTold ? pollMs : 0, pollMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#polling);
      this.#polling = undefined;
    };
  }

  /** Everything written before the call is applied when it ends. @throws InspectorError not_found | unreadable */
  refresh(): Promise<void> {
    this.#queued ??= this.#inTurn(() => {
      this.#queued = undefined;
      return this.#look();
    });
    return this.#queued;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#running.then(work, work);
    this.#running = result.catch(() => undefined);
    return result;
  }

  async #look(): Promise<void> {
    if (this.#all || !this.#started) return this.#lookAtAll();
    if (this.#isTold) {
      // Not followed, nobody would notice that another folder has this path now.
      if (this.#polling === undefined && !(await this.#isSameFolder())) return this.#lookAtAll();
      await eventsHere();
    } else if (this.#polling === undefined || (await this.#mayHaveOtherNames())) return this.#lookAtAll();
    if (this.#all || this.#names.size > MOST_NAMES) return this.#lookAtAll();
    if (this.#names.size > 0) await this.#lookAtSome();
  }

  async #lookAtAll(): Promise<void> {
    this.#all = true;
    await this.#subscribe();
    const folder = await fileEntry(this.#path, '.').catch(() => undefined);
    this.#names = new Set();
    this.#all = false;
    const now = Date.now();
    const listed = await listFolder(this.#path).catch((error: unknown) => {
      this.#all = true;
      this.#untold ||= this.#folder !== undefined;
      this.#folder = undefined;
      throw error;
    });
    const entries = new Map(listed.map((entry) => [entry.name, entry]));
    const before = this.#entries;
    const changed = listed.filter((entry) => !isSame(before.get(entry.name), entry));
    const removed = [...before.keys()].filter((name) => !entries.has(name));
    this.#entries = entries;
    this.#sampled = undefined;
    this.#took(folder, now, { changed, removed });
  }

  async #lookAtSome(): Promise<void> {
    const folder = await fileEntry(this.#path, '.').catch(() => undefined);
    const names = [...this.#names];
    this.#names = new Set();
    const now = Date.now();
    const found = new Map((await fileEntries(this.#path, names)).map((entry) => [entry.name, entry]));
    const removed = names.filter((name) => !found.has(name) && this.#entries.delete(name));
    const changed = [...found.values()].filter((entry) => !isSame(this.#entries.get(entry.name), entry));
    for (const entry of changed) this.#entries.set(entry.name, entry);
    this.#took(folder, now, { changed, removed });
  }

  #took(folder: FileEntry | undefined, at: number, change: EntriesChange): void {
    const isFirst = this.#lookedAt === 0;
    const isOther = folder?.ino !== this.#folder?.ino;
    this.#folder = folder;
    this.#lookedAt = at;
    if (change.changed.length + change.removed.length === 0 && !isOther) return;
    this.#untold = !isFirst;
    this.#apply(change);
  }

  async #isSameFolder(): Promise<boolean> {
    const folder = await fileEntry(this.#path, '.').catch(() => undefined);
    return folder !== undefined && folder.ino === this.#folder?.ino;
  }

  /** Whether names came or went, by the folder's time; yes where that cannot tell yet. */
  async #mayHaveOtherNames(): Promise<boolean> {
    const folder = await fileEntry(this.#path, '.').catch(() => undefined);
    const known = this.#folder;
    if (!folder || !known || folder.ino !== known.ino || folder.mtimeNs !== known.mtimeNs) return true;
    return this.#lookedAt - folder.mtimeMs <= COARSE_MS;
  }

  /** Events come from an inode, so a replaced folder needs a new subscription. */
  async #subscribe(): Promise<void> {
    if (!this.#started) return;
    const folder = await fileEntry(this.#path, '.').catch(() => undefined);
    if (folder && this.#events?.ino === folder.ino) return;
    this.#unsubscribe();
    if (!folder) return;
    try {
      const watcher = watch(this.#path, { persistent: false }, (_kind, name) => this.#notice(name));
      watcher.on('error', () => this.#unsubscribe());
      this.#events = { ino: folder.ino, stop: () => watcher.close() };
      this.#isTold = !this.#doubted && (await isLocal(this.#path)) && this.#events !== undefined;
    } catch {
      this.#unsubscribe();
    }
  }

  #unsubscribe(): void {
    this.#events?.stop();
    this.#events = undefined;
    this.#isTold = false;
    this.#all = true;
  }

  #notice(name: string | null): void {
    // What happens to the folder itself has its own name.
    if (name === null || name === basename(this.#path)) this.#all = true;
    else this.#names.add(name);
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#telling !== undefined || this.#listeners.size === 0) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      void this.refresh().then(
        () => this.#tell(),
        () => this.#tell(),
      );
    }, DEBOUNCE_MS);
    this.#telling.unref();
  }

  #tell(): void {
    if (!this.#untold) return;
    this.#untold = false;
    for (const listener of this.#listeners) listener();
  }

  #pollIn(ms: number, pollMs: number): void {
    this.#polling = setTimeout(() => void this.#poll(pollMs), ms);
    this.#polling.unref();
  }

  async #poll(pollMs: number): Promise<void> {
    const began = performance.now();
    await this.#inTurn(() => this.#check()).catch(() => undefined);
    this.#tell();
    // A large folder must not be listed all the time: rest at least ten times as long as it took.
    const rest = this.#isTold ? 0 : 10 * (performance.now() - began);
    if (this.#listeners.size > 0) this.#pollIn(Math.max(pollMs, rest), pollMs);
  }

  /** All of the folder where nothing reports changes; else itself and a part of the files, the next at each poll. */
  async #check(): Promise<void> {
    if (!this.#isTold) return this.#lookAtAll();
    const folder = await fileEntry(this.#path, '.').catch(() => undefined);
    if (folder === undefined || folder.ino !== this.#folder?.ino) this.#all = true;
    else {
      const written = await this.#writtenInSample();
      await eventsHere();
      const isLater = folder.mtimeNs !== this.#folder.mtimeNs && this.#names.size === 0;
      // A change that nothing has reported: from now on the poll looks at everything.
      if (!this.#all && (isLater || written.some((name) => !this.#names.has(name)))) this.#doubt();
    }
    await this.#look();
  }

  #doubt(): void {
    this.#doubted = true;
    this.#isTold = false;
    this.#all = true;
  }

  async #writtenInSample(): Promise<string[]> {
    const some: FileEntry[] = [];
    this.#sampled ??= this.#entries.values();
    while (some.length < Math.min(SAMPLE, this.#entries.size)) {
      const { value, done } = this.#sampled.next();
      if (!done) some.push(value);
      else if (this.#entries.size > 0) this.#sampled = this.#entries.values();
    }
    const now = new Map(
      (
        await fileEntries(
          this.#path,
          some.map(({ name }) => name),
        )
      ).map((one) => [one.name, one]),
    );
    return some.filter((entry) => !isSame(now.get(entry.name), entry)).map(({ name }) => name);
  }
}

/** What the system has noted of changes is told in the poll phase: after two turns one is over. */
async function eventsHere(): Promise<void> {
  await turn();
  await turn();
}

function isSame(known: FileEntry | undefined, entry: FileEntry): boolean {
  return known !== undefined && fileStamp(known) === fileStamp(entry) && known.mode === entry.mode;
}

async function isLocal(path: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return statfs(path).then(
    ({ type }) => LOCAL.has(type),
    () => false,
  );
}
