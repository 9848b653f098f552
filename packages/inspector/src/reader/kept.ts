/** Answers that still hold: while nobody writes to its files, a store isn't asked the same question again. */
import { statfs } from 'node:fs/promises';
import { untilAborted, type CallOptions, type Target } from '@checkpoint-inspector/core';
import { CommittedFiles } from '@checkpoint-inspector/io';
import type { Method } from './messages.ts';

/** Questions whose answers follow from the files alone. */
const KEPT: ReadonlySet<Method> = new Set(['checkpoints', 'meta', 'state', 'part', 'latest', 'find']);
/** After these the same files say something else. */
const CHANGING: ReadonlySet<Method> = new Set(['unlock', 'save']);
/**
 * So long after a write the files tell too little: a commit is there for readers only once the disk has it, which may
 * take a while, and the clock of a file system advances only every few milliseconds.
 */
const SETTLED_MS = 2_000;
/** No answer is older, whatever a file system tells of its files. */
const HOLDS_MS = 1_000;
const MOST_CHARACTERS = 4_000_000;
const ROW_CHARACTERS = 1_000;

/**
 * Disks of this machine: ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS, APFS. To look at a file elsewhere may take long,
 * and what is told of it may be seconds old. Source: the kernel's `linux/magic.h`; macOS tells APFS as 26.
 */
const LOCAL = new Set([
  0xef_53, 0x58_46_53_42, 0x91_23_68_3e, 0x01_02_19_94, 0x79_4c_76_30, 0xf2_f5_20_10, 0x2f_c1_2f_c1, 26,
]);

/** What is kept of the answers over a database file; absent where its files can't be looked at quickly. */
export async function keptAnswers(target: Target): Promise<KeptAnswers | undefined> {
  if (target.kind !== 'path' || target.is !== 'file') return undefined;
  const { type } = await statfs(target.path).catch(() => ({ type: 0 }));
  return LOCAL.has(type) ? new KeptAnswers(target.path) : undefined;
}

interface Kept {
  readonly answer: Promise<unknown>;
  isThere: boolean;
}

export class KeptAnswers {
  readonly #files: CommittedFiles;
  readonly #answers = new Map<string, Kept>();
  #version: object = {};
  /** Of the last look, after which the files were settled. */
  #reading: object | undefined;
  #characters = 0;
  #end: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#files = new CommittedFiles(path);
  }

  /**
   * The answer to the same question where it still holds; otherwise that of `ask`, also for those who ask meanwhile.
   * @param options of a server, where a signal is made when it is first asked for; the files are looked at once for a
   *   reading, unless somebody else asks in between
   * @throws what `ask` throws, or the reason of the signal
   */
  answer<T>(
    method: Method,
    args: readonly unknown[],
    ask: () => Promise<T>,
    options: Pick<CallOptions, 'signal' | 'reading'> = {},
  ): Promise<T> {
    if (CHANGING.has(method)) return ask().finally(() => this.clear());
    const key = KEPT.has(method) && this.#isSettled(options.reading) ? JSON.stringify([method, args]) : undefined;
    if (key === undefined) return untilAborted(options.signal, ask);
    const known = this.#answers.get(key);
    // What is kept under a question is what `ask` gave for it.
    const answer = () => (known ?? this.#keep(key, ask())).answer as Promise<T>;
    return known?.isThere ? answer() : untilAborted(options.signal, answer);
  }

  /** Another object after each write, and after a second at the most where an answer is kept. */
  version({ reading }: Pick<CallOptions, 'reading'> = {}): object | undefined {
    return this.#isSettled(reading) ? this.#version : undefined;
  }

  clear(): void {
    this.#version = {};
    clearTimeout(this.#end);
    this.#end = undefined;
    this.#reading = undefined;
    this.#answers.clear();
    this.#characters = 0;
  }

  /** Whether another write would be seen; what was answered before the last one is forgotten. */
  #isSettled(reading: object | undefined): boolean {
    if (reading !== undefined && reading === this.#reading) return true;
    if (this.#files.haveChanged()) this.clear();
    const isSettled = Date.now() - this.#files.writtenMs >= SETTLED_MS;
    this.#reading = isSettled ? reading : undefined;
    return isSettled;
  }

  #keep(key: string, answer: Promise<unknown>): Kept {
    const kept = { answer, isThere: false };
    this.#answers.set(key, kept);
    this.#end ??= setTimeout(() => this.clear(), HOLDS_MS).unref();
    const isOurs = (): boolean => this.#answers.get(key) === kept;
    answer.then(
      (told) => {
        kept.isThere = true;
        if (!isOurs()) return;
        this.#characters += charactersOf(told);
        if (this.#characters > MOST_CHARACTERS) this.clear();
      },
      () => void (isOurs() && this.#answers.delete(key)),
    );
    return kept;
  }
}

function charactersOf(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null) return ROW_CHARACTERS;
  if ('text' in answer && typeof answer.text === 'string') return answer.text.length;
  return ROW_CHARACTERS * ('items' in answer && Array.isArray(answer.items) ? 1 + answer.items.length : 1);
}
