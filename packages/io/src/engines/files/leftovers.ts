import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

const HOUR_MS = 60 * 60 * 1000;
/** Process ids mean nothing on another machine, which may share the folder. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** The temporary files of one kind of saves in a folder: their names tell machine and process, so leftovers are known. */
export class SaverTemps {
  readonly #folder: string;
  readonly #start: string;
  #sweptAt = -Infinity;

  constructor(folder: string, start: string) {
    this.#folder = folder;
    this.#start = start;
  }

  /** A new name. */
  name(): string {
    return `${this.#start}${HOST}-${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  }

  /** Removes those older than an hour whose process is gone; looks once an hour at most, and never throws. */
  async sweep(now = Date.now()): Promise<void> {
    if (now - this.#sweptAt < HOUR_MS) return;
    this.#sweptAt = now;
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (this.#isOrphan(name)) await removeIfOld(join(this.#folder, name), now).catch(() => undefined);
    }
  }

  #isOrphan(name: string): boolean {
    if (!name.startsWith(`${this.#start}${HOST}-`)) return false;
    const pid = /^(\d{1,10})-[0-9a-f]{8}\.tmp$/.exec(name.slice(this.#start.length + HOST.length + 1))?.[1];
    return pid !== undefined && isGone(Number(pid));
  }
}

async function removeIfOld(path: string, now: number): Promise<void> {
  const stat = await lstat(path);
  if (stat.isFile() && now - stat.mtimeMs > HOUR_MS) await unlink(path);
}

/** This process's own number too: after an hour its file is that of an earlier process which had the number. */
function isGone(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
