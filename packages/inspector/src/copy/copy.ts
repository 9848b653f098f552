/** Copies every checkpoint of a store to another one, and reads the copy back. */
import { compact, InspectorError, refKey, refOfMeta } from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  SavedCheckpoint,
  State,
  Task,
} from '@checkpoint-inspector/core';
import { besideDigest, besideIn, missingIn, savedIn, type Kept } from './beside.ts';
import { assertKeepable, type KeepWords, type Words } from '../annotations.ts';
import { everyRow, everyTask } from '../stores/task-lists.ts';
import { checkpointOf, contentOf, detailsOf, differenceOf, hasTime, hasWords, notKeptOf } from './content.ts';
import { sha256, statesIn, statesOf, type StatesThere } from './own-rules.ts';
import type { CopyTarget } from './target.ts';
import type { CopyFinding, CopyProgress, CopyReport } from './types.ts';

export interface CopyOptions {
  /** Only this task. */
  readonly task?: string | undefined;
  /** Reads and counts; nothing is written. */
  readonly dryRun?: boolean;
  /** Puts labels and notes beside the copy, which has no place for them; absent: they are counted as not kept. */
  readonly keepWords?: KeepWords | undefined;
  /** Notes of the source's checkpoints that it does not have itself, by `refKey`. */
  readonly notes?: ReadonlyMap<string, string>;
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** What has to be found when the copy is read back: small, because there is one for every checkpoint. */
interface Noted {
  /** In the target. */
  readonly ref: CheckpointRef;
  readonly content: string;
  /** Absent where it was there before. */
  readonly details?: string;
  readonly beside?: string;
  readonly hasTime: boolean;
  readonly words?: Words;
}

interface Read {
  readonly meta: CheckpointMeta;
  readonly state: State;
  readonly kept: Kept;
}

/**
 * Oldest first, one checkpoint at a time, each durable before the next: after an interruption a second run goes on.
 * What is there with the same content is left, what is there with another content is listed and never overwritten.
 * @throws InspectorError unsupported (the target would evict) | disk_full | busy
 * @example const { copied, conflicts } = await copyStore(source, await openCopyTarget('copy.db', { source }, registry));
 */
export async function copyStore(
  source: CheckpointSource,
  target: CopyTarget,
  options: CopyOptions = {},
): Promise<CopyReport> {
  const tasks = await tasksIn(source, options.task);
  await assertAllFit(source, target, tasks);
  const copying = new Copying(source, target, options);
  for (const { checkpointCount } of tasks) copying.total += checkpointCount;
  for (const task of tasks) await copying.task(task);
  if (!options.dryRun) await copying.verify();
  return copying.report(tasks.length);
}

type CopiedTask = Pick<Task, 'id' | 'title' | 'checkpointCount'>;

/** @throws InspectorError not_found */
async function tasksIn(source: CheckpointSource, only: string | undefined): Promise<readonly CopiedTask[]> {
  const tasks = new Map<string, CopiedTask>();
  for await (const { id, title, checkpointCount } of everyTask(source))
    if (only === undefined || id === only) tasks.set(id, { id, title, checkpointCount });
  if (only !== undefined && tasks.size === 0)
    throw new InspectorError('not_found', `No task "${only}" in ${source.info.label}.`, { data: { task: only } });
  return [...tasks.values()];
}

/** A target that keeps so many of a task would evict what is copied, and what it had. @throws InspectorError unsupported */
async function assertAllFit(source: CheckpointSource, target: CopyTarget, tasks: readonly CopiedTask[]): Promise<void> {
  const most = await target.maxPerTask();
  const there = await target.current();
  if (most === undefined || there === undefined) return;
  for (const { id: task } of tasks) {
    let kept = 0;
    for await (const _ of there.lineage(task)) kept += 1;
    for await (const row of source.lineage(task)) {
      const { id, namespace } = row;
      if ((await there.meta({ task, ...(namespace ? { namespace } : {}), id })) === undefined) kept += 1;
    }
    if (kept <= most) continue;
    throw new InspectorError(
      'unsupported',
      `${target.label} keeps ${most} checkpoints per task, and "${task}" would have ${kept}: the oldest would be lost.`,
      { remedy: 'Name another target; a new one keeps everything.' },
    );
  }
}

class Copying {
  readonly #source: CheckpointSource;
  readonly #target: CopyTarget;
  readonly #options: CopyOptions;
  readonly #noted: Noted[] = [];
  readonly #unreadable: CopyFinding[] = [];
  readonly #conflicts: CopyFinding[] = [];
  readonly #failed: CopyFinding[] = [];
  readonly #notKept = new Map<string, number>();
  readonly #notAnnotated: CopyFinding[] = [];
  readonly #counts = { checkpoints: 0, copied: 0, present: 0, outdated: 0, verified: 0, annotated: 0, stateBytes: 0 };
  /** Whether the task that is being copied is called other than by its id. */
  #hasTitle = false;
  total = 0;

  constructor(source: CheckpointSource, target: CopyTarget, options: CopyOptions) {
    this.#source = source;
    this.#target = target;
    this.#options = options;
  }

  /** What resumes is saved last, so that the copy resumes from the same checkpoint. */
  async task({ id: task, title }: CopiedTask): Promise<void> {
    this.#hasTitle = title !== task;
    const refs: CheckpointRef[] = [];
    for await (const meta of everyRow(this.#source, task)) refs.push(refOfMeta(meta));
    const there = this.#target.keepsIds ? undefined : await statesOf(await this.#target.current(), task);
    for (const ref of refs.toReversed()) {
      this.#counts.checkpoints += 1;
      const read = await this.#read(ref);
      if (read !== undefined) await (there === undefined ? this.#copy(ref, read) : this.#copyByRules(read, there));
      this.#options.onProgress?.({ done: this.#counts.checkpoints, of: this.total, step: 'copying' });
    }
  }

  async #read(ref: CheckpointRef): Promise<Read | undefined> {
    try {
      const found = await this.#source.meta(ref);
      const note = found?.note ?? this.#options.notes?.get(refKey(ref));
      const meta = found && { ...found, ...compact({ note }) };
      // It may have been removed since the list was read.
      if (meta === undefined) throw new InspectorError('not_found', 'It was removed from the source in the meantime.');
      if (meta.problem !== undefined) {
        this.#unreadable.push({ ref, code: meta.problem.code, message: meta.problem.message });
        return undefined;
      }
      const state = await this.#source.state(ref);
      if (state === undefined) throw new InspectorError('unreadable', 'It is listed but has no state.');
      return { meta, state, kept: await besideIn(this.#source, meta, ref) };
    } catch (thrown) {
      this.#unreadable.push(findingOf(ref, thrown));
      return undefined;
    }
  }

  async #copy(ref: CheckpointRef, read: Read): Promise<void> {
    if (await this.#isThere(ref, read)) return;
    const isSaved = await this.#save(ref, read, async () => {
      // Before its checkpoint: where that is, all of these are.
      await this.#addWrites(ref, read);
      await this.#target.save(newOf(read));
    });
    if (isSaved === 'taken') await this.#isThere(ref, read);
    if (isSaved !== true || this.#options.dryRun) return;
    this.#note(ref, read, detailsOf(read.meta, hasTime(read.meta)));
  }

  async #addWrites(ref: CheckpointRef, { kept }: Read, saved?: SavedCheckpoint): Promise<void> {
    const missing = missingIn(saved, kept.writes);
    if (missing.length > 0 && !this.#options.dryRun) await this.#target.saveWrites?.(ref, missing);
  }

  /** True where nothing is left to do: it is there, or another content is. */
  async #isThere(ref: CheckpointRef, read: Read): Promise<boolean> {
    const current = await this.#target.current();
    const meta = await current?.meta(ref);
    if (current === undefined || meta === undefined) return false;
    const state = await stateThere(current, ref);
    const message = state instanceof InspectorError ? state.message : differenceOf(read, { meta, state });
    if (message !== undefined) {
      this.#conflicts.push({ ref, code: 'changed', message });
      return true;
    }
    this.#counts.present += 1;
    // An agent may have written more since the copy was made.
    await this.#addWrites(ref, read, await savedIn(current, ref));
    const given = hasTime(read.meta);
    if (detailsOf(read.meta, given) !== detailsOf(meta, given)) this.#counts.outdated += 1;
    this.#note(ref, read);
    return true;
  }

  /** The system gives ids of its own, so what is there is told by its state. */
  async #copyByRules(read: Read, there: StatesThere): Promise<void> {
    const ref = refOfMeta(read.meta);
    if (there.take(read.state.text)) {
      this.#counts.present += 1;
      return;
    }
    let saved: CheckpointRef | undefined;
    const isSaved = await this.#save(ref, read, async () => {
      saved = refOfMeta(await this.#target.save(newOf(read)));
    });
    if (isSaved === true && saved !== undefined) this.#noteState(saved, read);
  }

  /** `taken` where somebody saved this id since it was looked for. @throws InspectorError for what ends the copy */
  async #save(ref: CheckpointRef, read: Read, save: () => Promise<void>): Promise<boolean | 'taken'> {
    try {
      if (!this.#options.dryRun) await save();
    } catch (thrown) {
      const error = InspectorError.from(thrown);
      if (error.code === 'changed' && this.#target.keepsIds) return 'taken';
      if (error.code !== 'invalid_input' && error.code !== 'too_large' && error.code !== 'changed') throw error;
      this.#unreadable.push(findingOf(ref, error));
      return false;
    }
    this.#counts.copied += 1;
    this.#counts.stateBytes += Buffer.byteLength(read.state.text);
    const keepsWords = this.#options.keepWords !== undefined;
    for (const what of notKeptOf(read.meta, read.state, keepsWords)) this.#leave(what);
    if (this.#hasTitle) this.#leave("the task's title (the copy has its id)");
    if (this.#options.dryRun && keepsWords && hasWords(read.meta)) this.#foretell(ref, read.meta);
    const { kept } = read;
    const left = this.#target.saveWrites === undefined ? kept.writes.length + kept.left : kept.left;
    if (left > 0) this.#leave('some of what is kept beside the state, such as pending writes');
    return true;
  }

  #foretell(ref: CheckpointRef, words: Words): void {
    try {
      assertKeepable(words);
      this.#counts.annotated += 1;
    } catch (thrown) {
      this.#notAnnotated.push(findingOf(ref, thrown));
    }
  }

  #leave(what: string): void {
    this.#notKept.set(what, (this.#notKept.get(what) ?? 0) + 1);
  }

  #note(ref: CheckpointRef, { meta, state, kept }: Read, details?: string): void {
    const content = contentOf(meta, state.text);
    const rest = details === undefined ? {} : { details, beside: besideDigest(kept) };
    this.#noted.push({ ref, content, hasTime: hasTime(meta), ...rest, ...wordsOf(meta) });
  }

  /** Of a target with its own rules only the state is compared. */
  #noteState(ref: CheckpointRef, { meta, state }: Read): void {
    this.#noted.push({ ref, content: sha256(state.text), hasTime: false, ...wordsOf(meta) });
  }

  /** Every checkpoint is read back, by a connection that has not written it. */
  async verify(): Promise<void> {
    if (this.#noted.length === 0) return;
    const copy = await this.#target.reopened();
    for (const [at, noted] of this.#noted.entries()) {
      const message = await this.#wrongIn(copy, noted);
      if (message === undefined) {
        this.#counts.verified += 1;
        this.#annotate(copy, noted);
      } else this.#failed.push({ ref: noted.ref, code: 'proof_failed', message });
      this.#options.onProgress?.({ done: at + 1, of: this.#noted.length, step: 'verifying' });
    }
    for (const { ref, message } of (await copy.damage?.()) ?? [])
      this.#failed.push({ ref, code: 'unreadable', message });
  }

  #annotate(copy: CheckpointSource, { ref, words }: Noted): void {
    const { keepWords } = this.#options;
    if (keepWords === undefined || words === undefined) return;
    try {
      keepWords(copy, ref, words);
      this.#counts.annotated += 1;
    } catch (thrown) {
      this.#notAnnotated.push(findingOf(ref, thrown));
    }
  }

  async #wrongIn(copy: CheckpointSource, noted: Noted): Promise<string | undefined> {
    const { ref, content, details, hasTime, beside } = noted;
    const meta = await copy.meta(ref);
    const gone = this.#target.keepsIds ? 'It is not in the copy.' : 'The system has removed it by its own rules.';
    if (meta === undefined) return gone;
    const state = await stateThere(copy, ref);
    if (state instanceof InspectorError) return state.message;
    if (!this.#target.keepsIds)
      return ownState(state.text, content) ? undefined : 'It was read back with another state.';
    if (contentOf(meta, state.text) !== content) return 'It was read back with another state or parent.';
    if (details !== undefined && detailsOf(meta, hasTime) !== details) return 'It was read back with other details.';
    const saved = beside === undefined ? undefined : await savedIn(copy, ref);
    if (saved !== undefined && besideDigest(saved) !== beside) return 'What steps wrote was read back differently.';
    return undefined;
  }

  report(tasks: number): CopyReport {
    const { system, label } = this.#source.info;
    return {
      from: { system, label },
      to: { system: this.#target.system, label: this.#target.label },
      dryRun: this.#options.dryRun ?? false,
      tasks,
      ...this.#counts,
      unreadable: this.#unreadable,
      conflicts: this.#conflicts,
      failed: this.#failed,
      notAnnotated: this.#notAnnotated,
      notKept: [...this.#notKept].map(([what, checkpoints]) => ({ what, checkpoints })),
    };
  }
}

const wordsOf = (meta: CheckpointMeta): { readonly words?: Words } =>
  hasWords(meta) ? { words: { labels: meta.labels, ...compact({ note: meta.note }) } } : {};

const newOf = ({ meta, state, kept }: Read) => checkpointOf(meta, state.text, kept.beside);

const ownState = (text: string, content: string): boolean => statesIn(text).some((one) => sha256(one) === content);

function findingOf(ref: CheckpointRef, thrown: unknown): CopyFinding {
  const { code, message } = InspectorError.from(thrown);
  if (code === 'internal') throw thrown;
  return { ref, code, message };
}

async function stateThere(source: CheckpointSource, ref: CheckpointRef): Promise<State | InspectorError> {
  try {
    return (await source.state(ref)) ?? new InspectorError('unreadable', 'It is listed but has no state.');
  } catch (thrown) {
    return InspectorError.from(thrown);
  }
}
