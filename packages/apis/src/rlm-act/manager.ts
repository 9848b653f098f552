import { fromJsonText, InspectorError, leadingTexts } from '@checkpoint-inspector/core';
import {
  atomicWrite,
  errnoOf,
  fileError,
  FolderIndex,
  listFolder,
  readHead,
  SaverTemps,
  type FileEntry,
} from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isRecord } from '@checkpoint-inspector/systems/folder/view';
import {
  checkpointReader,
  CHECKPOINTS_FOLDER,
  compareText,
  idOfFile,
  MAX_DOCUMENT_BYTES,
  millisecondsOf,
  newestStamp,
  nextStamp,
  readText,
  snapshotOf,
  stampOf,
  type StoredFile,
} from '@checkpoint-inspector/systems/rlm-act';
import { checkpointDocument, toCheckpointDict, type CheckpointState } from './document.ts';
import { getGitCommit, type GitOptions } from './git.ts';

/**
 * What a clean-up did; also a pair, as the original returns it.
 * @example const [deleted, failed] = await manager.cleanupAll()
 */
export class CleanupCounts {
  /** Files that were removed. */
  readonly deleted: number;
  /** Files that should have been removed and could not be. */
  readonly failed: number;

  constructor(deleted: number, failed: number) {
    this.deleted = deleted;
    this.failed = failed;
  }

  *[Symbol.iterator](): Generator<number, void> {
    yield this.deleted;
    yield this.failed;
  }
}

/** The clock and the ids of a manager; for tests mostly. */
export interface ManagerOptions {
  /** The clock. */
  readonly now?: () => Date;
  /** Makes the ids, which are file names too; default UUID v4. */
  readonly newId?: () => string;
  readonly git?: GitOptions;
  /** Most bytes of a document, for writing and for reading; default 32 MiB, which is also what the inspector reads. */
  readonly maxBytes?: number;
}

/** A stored checkpoint and where it is. Whole numbers that a double cannot hold are bigints. */
export interface DetectedCheckpoint {
  readonly id: string;
  readonly phase: string;
  /** As stored. */
  readonly timestamp: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
  readonly git_commit: string;
  /** Absolute. */
  readonly file_path: string;
}

/** Id, phase and timestamp are the first members that the pipelines write. */
const HEAD_BYTES = 4096;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Writes, finds and removes the checkpoints of one project, in the files that the pipelines in Python and Go use.
 * @example
 * const manager = new CheckpointManager('/home/dev/project');
 * await manager.writeCheckpoint({ project_path: '/home/dev/project' }, 'research-complete');
 * const latest = await manager.detectCheckpoint();
 */
export class CheckpointManager {
  readonly projectPath: string;
  readonly checkpointsDir: string;
  readonly #options: ManagerOptions;
  readonly #index: FolderIndex<StoredFile>;
  readonly #temps: SaverTemps;
  readonly #maxBytes: number;
  #writing: Promise<unknown> = Promise.resolve();

  /** Touches nothing; the folder is made by the first write. */
  constructor(projectPath: string, options: ManagerOptions = {}) {
    this.projectPath = resolve(projectPath);
    this.checkpointsDir = join(this.projectPath, CHECKPOINTS_FOLDER);
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_DOCUMENT_BYTES;
    this.#index = new FolderIndex(this.checkpointsDir, checkpointReader(this.#maxBytes));
    this.#temps = new SaverTemps(this.checkpointsDir, '.checkpoint-inspector-save-');
  }

  /**
   * Stores a state; the file is there whole and durable, or not at all. Its timestamp is the time in UTC, or just
   * after the newest that is there: so it is what the pipeline finds, whatever clock the others were written by.
   * @param phase `<phase>-complete`, `<phase>-failed`, …
   * @returns the absolute path of the file
   * @throws InspectorError invalid_input (the state is not JSON, the phase is empty) | too_large (over 32 MiB: it would
   * not be found again) | disk_full | unsupported (no permission) | unreadable
   */
  writeCheckpoint(
    state: CheckpointState | Readonly<Record<string, unknown>>,
    phase: string,
    errors: readonly string[] | null = [],
  ): Promise<string> {
    // One after the other, so that no two get the same timestamp.
    const written = this.#writing.then(() => this.#write(toCheckpointDict(state), phase, errors ?? []));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /**
   * The checkpoint with the greatest timestamp, by string order as the pipeline sorts, that has an id, a phase, a
   * timestamp and a state. Files that cannot be read or are not such a checkpoint are passed over.
   * @throws InspectorError unreadable | not_found, only where the folder is there and cannot be listed | too_large where
   * a newer one is too large to be read: the pipelines read it, and an older one would lose steps without a word
   */
  async detectCheckpoint(): Promise<DetectedCheckpoint | undefined> {
    const files = await this.#files();
    let found: DetectedCheckpoint | undefined;
    for (const { file } of snapshotOf('', files).rows.toReversed()) {
      found = file.problem ? undefined : await this.#read(file);
      if (found) break;
    }
    await this.#refuseIfNewer(files, found);
    return found;
  }

  /**
   * Removes, for good, the checkpoints whose timestamp is more than so many times 24 hours ago. What has no
   * timestamp with Z or an offset is left alone and not counted.
   * @throws InspectorError invalid_input: `days` is not a positive whole number
   */
  async cleanupByAge(days: number): Promise<CleanupCounts> {
    if (!Number.isSafeInteger(days) || days < 1) {
      throw new InspectorError('invalid_input', `"days" must be a positive whole number, not ${days}.`, {
        data: { days },
      });
    }
    const cutoff = this.#now().getTime() - days * DAY_MS;
    const old = (await this.#files()).filter(
      ({ facts }) => (millisecondsOf(facts?.timestamp ?? '') ?? cutoff) < cutoff,
    );
    return this.#remove(old.map((file) => file.entry.name));
  }

  /** Removes every `*.json` of the folder for good; the folder and other files stay. */
  async cleanupAll(): Promise<CleanupCounts> {
    const entries = await this.#ifThere(() => listFolder(this.checkpointsDir), []);
    return this.#remove(entries.map(({ name }: FileEntry) => name).filter((name) => idOfFile(name) !== undefined));
  }

  /** The project's commit, or the empty string. */
  getGitCommit(): Promise<string> {
    return getGitCommit(this.projectPath, this.#options.git);
  }

  async #write(state: Readonly<Record<string, unknown>>, phase: string, errors: readonly string[]): Promise<string> {
    const { newId = randomUUID } = this.#options;
    const [id, git_commit] = [newId(), await this.getGitCommit()];
    const document = (timestamp: string) => checkpointDocument({ id, phase, timestamp, state, errors, git_commit });
    if (phase === '')
      throw new InspectorError('invalid_input', 'The phase is empty, so the checkpoint could never be found.');
    // What cannot be stored is refused before a folder is made for it.
    this.#assertFits(document(stampOf(this.#now())));
    await makeFolder(this.checkpointsDir);
    const text = document(stampAfter(await this.#files(), this.#now()));
    this.#assertFits(text);
    await atomicWrite(this.checkpointsDir, `${id}.json`, Buffer.from(text), { temp: this.#temps.name() });
    await this.#temps.sweep();
    return join(this.checkpointsDir, `${id}.json`);
  }

  #assertFits(text: string): void {
    const [size, maxBytes] = [Buffer.byteLength(text), this.#maxBytes];
    if (size <= maxBytes) return;
    throw new InspectorError('too_large', `The document is ${size} bytes; the limit is ${maxBytes}.`, {
      data: { size, maxBytes },
    });
  }

  /** A file whose timestamp is unknown counts as written when its time says. */
  async #refuseIfNewer(files: readonly StoredFile[], found: DetectedCheckpoint | undefined): Promise<void> {
    for (const { entry, problem } of files) {
      if (problem?.code !== 'too_large') continue;
      const file_path = join(this.checkpointsDir, entry.name);
      const head = await readHead(file_path, HEAD_BYTES).catch(() => undefined);
      if (!head) continue; // removed meanwhile
      const stamp = leadingTexts(new TextDecoder().decode(head)).get('timestamp') ?? stampOf(new Date(entry.mtimeMs));
      if (found && compareText(stamp, found.timestamp) <= 0) continue;
      throw new InspectorError('too_large', `${entry.name} may be the newest checkpoint. ${problem.message}`, {
        data: { file_path },
        remedy: 'To resume from an older checkpoint, move this file out of the folder.',
      });
    }
  }

  /** `undefined` if the file is gone or no longer a whole checkpoint. */
  async #read(file: StoredFile): Promise<DetectedCheckpoint | undefined> {
    try {
      const { text } = await readText(this.checkpointsDir, file.entry.name);
      return detected(fromJsonText(text), join(this.checkpointsDir, file.entry.name));
    } catch {
      return undefined;
    }
  }

  async #remove(names: readonly string[]): Promise<CleanupCounts> {
    let deleted = 0;
    for (const name of names) {
      // A link is removed, never what it leads to.
      await unlink(join(this.checkpointsDir, name)).then(
        () => deleted++,
        () => undefined,
      );
    }
    return new CleanupCounts(deleted, names.length - deleted);
  }

  #files(): Promise<readonly StoredFile[]> {
    return this.#ifThere(async () => (await this.#index.read()).files, []);
  }

  async #ifThere<T>(read: () => Promise<T>, none: T): Promise<T> {
    return read().catch((error: unknown) => {
      if (errnoOf(InspectorError.from(error).cause) === 'ENOENT') return none;
      throw error;
    });
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}

/** Made with 0755 whatever the umask, as the document demands; a folder that is there keeps its mode. */
async function makeFolder(path: string): Promise<void> {
  try {
    if ((await mkdir(path, { recursive: true })) !== undefined) await chmod(path, 0o755);
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw fileError(cause, path);
    throw new InspectorError('unsupported', `"${path}" is a file, but a folder is needed there.`, { cause });
  }
}

/** The time, or just after the newest that is there; always with Z. */
function stampAfter(files: readonly StoredFile[], now: Date): string {
  const newest = newestStamp(files);
  const clock = stampOf(now);
  if (compareText(clock, newest) > 0) return clock;
  return nextStamp(newest)?.replace(/(Z|[+-]\d\d:\d\d)?$/, 'Z') ?? clock;
}

function detected(data: unknown, file_path: string): DetectedCheckpoint | undefined {
  if (!isRecord(data)) return undefined;
  const { id, phase, timestamp, state, errors, git_commit } = data;
  if (!isText(id) || !isText(phase) || !isText(timestamp) || !isRecord(state)) return undefined;
  return {
    ...data,
    id,
    phase,
    timestamp,
    state,
    errors: Array.isArray(errors) ? errors.filter((error) => typeof error === 'string') : [],
    git_commit: typeof git_commit === 'string' ? git_commit : '',
    file_path,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
