import { everyPage, type CheckpointSource, type Task } from '@checkpoint-inspector/core';
import type { RemoteIndex } from '../host/contract.ts';
import { Signal } from './turns.ts';

interface ListerDeps {
  readonly source: CheckpointSource;
  readonly index: RemoteIndex;
  /** A turn of background work. @throws Stopped */
  readonly turn: () => Promise<void>;
  /** Called where checkpoints were added. */
  readonly onAdded: () => void;
}

const TASK_PAGE = 500;
const PAGE = 200;
const TOP_PAGE = 50;
/** After a change the whole list is read again, once it has been quiet and not too often for its length. */
const AGAIN_MS = 2_000;
const AGAIN_FACTOR = 20;
/** A store that only says that something changed may say it all the time. */
const TASKS_EVERY_MS = 250;
const TASKS_FACTOR = 10;

/** Keeps the index's list of checkpoints like the store's: what is new at the top at once, the rest soon after. */
export class Lister {
  readonly #deps: ListerDeps;
  readonly #wake = new Signal();
  /** Tasks whose newest checkpoints are to be looked at, and those to be listed to their end. */
  readonly #top = new Set<string>();
  readonly #whole = new Set<string>();
  readonly #facts = new Map<string, string>();
  readonly #lasted = new Map<string, number>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #tasksDue = true;
  #tasksTimer: NodeJS.Timeout | undefined;
  #tasksNotBefore = 0;
  #isAtWork = false;
  #expected = 0;
  /** True once every task was listed to its end. */
  isComplete = false;

  constructor(deps: ListerDeps) {
    this.#deps = deps;
  }

  /** Checkpoints of all tasks, as their list tells it. */
  get expected(): number {
    return this.#expected;
  }

  get isIdle(): boolean {
    return (
      !this.#isAtWork && !this.#tasksDue && this.#tasksTimer === undefined && this.#top.size + this.#whole.size === 0
    );
  }

  changed(task: string | undefined): void {
    if (task === undefined) return this.#tasksChanged();
    this.#top.add(task);
    this.#wake.set();
  }

  #tasksChanged(): void {
    const list = () => {
      this.#tasksTimer = undefined;
      this.#tasksDue = true;
      this.#wake.set();
    };
    this.#tasksTimer ??= setTimeout(list, Math.max(0, this.#tasksNotBefore - performance.now())).unref();
  }

  /** Begins again with every task: something went wrong on the way. */
  restart(): void {
    this.#facts.clear();
    this.#tasksDue = true;
    this.#wake.set();
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    clearTimeout(this.#tasksTimer);
    this.#wake.set();
  }

  /** Continues until a turn is refused. @throws Stopped, and what the source throws */
  async run(): Promise<never> {
    for (;;) {
      this.#isAtWork = true;
      await this.#deps.turn();
      await this.#urgent();
      const [task] = this.#whole;
      if (task === undefined) {
        this.isComplete = true;
        this.#isAtWork = false;
        await this.#wake.wait();
      } else {
        this.#whole.delete(task);
        await this.#list(task);
      }
    }
  }

  /** What must not wait until a long list is read. */
  async #urgent(): Promise<void> {
    for (const task of this.#top) {
      this.#top.delete(task);
      await this.#look(task);
    }
    if (!this.#tasksDue) return;
    this.#tasksDue = false;
    await this.#listTasks();
  }

  async #listTasks(): Promise<void> {
    const began = performance.now();
    const there = new Set<string>();
    const { source, index, turn } = this.#deps;
    let expected = 0;
    // Page by page, each in a turn of its own: a long list would hold up requests.
    for await (const { items } of everyPage((at) => turn().then(() => source.tasks(at)), TASK_PAGE)) {
      for (const task of items) {
        there.add(task.id);
        expected += task.checkpointCount;
        this.#compare(task);
      }
    }
    this.#expected = expected;
    await turn();
    for (const task of await index.tasks()) if (!there.has(task)) await index.dropTask(task);
    const now = performance.now();
    this.#tasksNotBefore = now + Math.max(TASKS_EVERY_MS, (now - began) * TASKS_FACTOR);
  }

  #compare({ id, updatedAt, checkpointCount, unreadable, latestId, sizeBytes, status }: Task): void {
    const facts = JSON.stringify([updatedAt, checkpointCount, unreadable, latestId, sizeBytes, status]);
    const known = this.#facts.get(id);
    this.#facts.set(id, facts);
    if (known === undefined) this.#whole.add(id);
    else if (known !== facts) this.#top.add(id);
  }

  /** The newest ones, until one that is known. */
  async #look(task: string): Promise<void> {
    const { source, index, turn, onAdded } = this.#deps;
    let added = 0;
    for await (const { items } of everyPage((at) => turn().then(() => source.checkpoints(task, at)), TOP_PAGE)) {
      const isNew = await index.list(task, items);
      added += isNew;
      if (isNew > 0) onAdded();
      if (isNew < items.length) break;
    }
    // A change that is not at the top is somewhere below it.
    if (added === 0) this.#whole.add(task);
    else this.#listLater(task);
  }

  #listLater(task: string): void {
    if (this.#timers.has(task)) return;
    const delay = Math.max(AGAIN_MS, (this.#lasted.get(task) ?? 0) * AGAIN_FACTOR);
    const list = () => {
      this.#timers.delete(task);
      this.#whole.add(task);
      this.#wake.set();
    };
    this.#timers.set(task, setTimeout(list, delay).unref());
  }

  /** From the latest to the first one; what no longer exists is forgotten. */
  async #list(task: string): Promise<void> {
    const { source, index, turn, onAdded } = this.#deps;
    const began = performance.now();
    await index.beginList(task);
    for await (const { items } of everyPage((at) => turn().then(() => source.checkpoints(task, at)), PAGE)) {
      if ((await index.list(task, items)) > 0) onAdded();
      await this.#urgent();
    }
    do await turn();
    while (!(await index.endList(task)));
    this.#lasted.set(task, performance.now() - began);
  }
}
