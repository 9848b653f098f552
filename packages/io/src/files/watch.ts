import type { Unwatch } from '@checkpoint-inspector/core';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { fileStamp, listFolder } from './list.ts';

export interface WatchOptions {
  /** Milliseconds between two looks at the folder, for disks that report no events. Default 2000. */
  readonly pollMs?: number;
}

const DEBOUNCE_MS = 100;
/** The clock behind file times ticks more coarsely than `Date.now()`. */
const CLOCK_SLACK_MS = 20;

interface Look {
  readonly stamp: string;
  /** Inode of the folder; absent while there is none. */
  readonly folder?: bigint;
  /** Newest modification, milliseconds. */
  readonly newestMs: number;
}

/** Calls back after files of the folder itself changed, at most every 100 ms, also when it is made later. */
export function watchFolder(path: string, onChange: () => void, options: WatchOptions = {}): Unwatch {
  const watcher = new FolderWatcher(path, onChange, options.pollMs ?? 2000);
  return () => watcher.stop();
}

class FolderWatcher {
  readonly #path: string;
  readonly #onChange: () => void;
  readonly #pollMs: number;
  readonly #startedMs = Date.now() - CLOCK_SLACK_MS;
  #last: Look | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #again = false;
  #stopped = false;
  #events: { readonly folder: bigint; readonly stop: () => void } | undefined;

  constructor(path: string, onChange: () => void, pollMs: number) {
    this.#path = path;
    this.#onChange = onChange;
    this.#pollMs = pollMs;
    void this.#look();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#events?.stop();
  }

  #schedule(ms: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  /** An event of the system: look soon, but never more often than the debounce allows. */
  #notice(): void {
    if (this.#looking) this.#again = true;
    else if (!this.#again) {
      this.#again = true;
      this.#schedule(DEBOUNCE_MS);
    }
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#again = false;
    const began = performance.now();
    const look = await lookAt(this.#path);
    await this.#follow(look);
    this.#looking = false;
    if (this.#stopped) return;
    const changed = this.#last === undefined ? look.newestMs >= this.#startedMs : look.stamp !== this.#last.stamp;
    this.#last = look;
    // A huge folder must not be listed all the time: rest at least ten times as long as the look took.
    this.#schedule(this.#again ? DEBOUNCE_MS : Math.max(this.#pollMs, 10 * (performance.now() - began)));
    if (changed) this.#onChange();
  }

  /** Events come from an inode, so a replaced folder needs a new subscription. */
  async #follow(look: Look): Promise<void> {
    if (this.#events?.folder === look.folder) return;
    this.#events?.stop();
    this.#events = undefined;
    if (look.folder === undefined || this.#stopped) return;
    const stop = await subscribe(this.#path, () => this.#notice());
    if (this.#stopped) return stop();
    this.#events = { folder: look.folder, stop };
    this.#again = true; // Writes before the subscription stood would otherwise wait for the next poll.
  }
}

async function lookAt(path: string): Promise<Look> {
  try {
    const [folder, entries] = await Promise.all([stat(path, { bigint: true }), listFolder(path)]);
    const hash = createHash('sha1').update(String(folder.ino));
    let newestMs = Number(folder.mtimeMs);
    for (const entry of entries) {
      hash.update(fileStamp(entry)).update('\0');
      if (entry.file) newestMs = Math.max(newestMs, entry.mtimeMs);
    }
    return { stamp: hash.digest('hex'), folder: folder.ino, newestMs };
  } catch {
    // Not there or not readable: that is a state of the folder too, and reading it tells the reason.
    return { stamp: 'none', newestMs: 0 };
  }
}

/** Events of the operating system; where they are not to be had the poll alone does it. */
async function subscribe(path: string, onEvent: () => void): Promise<() => void> {
  try {
    const { subscribe: start } = await import('@parcel/watcher');
    const subscription = await start(path, onEvent);
    return () => void subscription.unsubscribe().catch(() => undefined);
  } catch {
    return () => undefined;
  }
}
