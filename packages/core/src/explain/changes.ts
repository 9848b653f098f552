/** What a run changed, looked at step by step from its end, in memory that doesn't grow with the steps. */
import { stringIn } from '../chat/fields.ts';
import { compact } from '../compact.ts';
import { Follower, reversed } from '../diff/follow.ts';
import { leafOf } from '../diff/noise.ts';
import { isFailure, rankDiff } from '../diff/rank.ts';
import { patternOf, type ChangeRoles } from '../diff/roles.ts';
import { sentValues, type SentValues } from '../diff/sent-values.ts';
import type { Difference } from '../diff/types.ts';
import { locate } from '../history/locate.ts';
import { stringOf } from '../json/node.ts';
import { formatPath, type Path } from '../json/path.ts';
import { parseJson } from '../json/read.ts';

/** One step of a run and the differences from the state before it. */
export interface StepChanges {
  /** Place on the way from the root, which is 0. */
  readonly at: number;
  readonly items: readonly Difference[];
  /** The two states. */
  readonly before: string;
  readonly after: string;
}

/** A difference whose long values are cut. */
export type Kept = Omit<Difference, 'before' | 'after'> & SentValues;

/** What a step wrote, of all that it wrote. */
export interface WriteAt {
  readonly at: number;
  readonly item: Kept;
  readonly more: number;
}

const PLAN = /\.(?:plan|todos?|steps|tasks)\[\d+\]\.(?:status|state|done)$/;
const ERROR_KEY = /^(?:last_?)?(?:errors?|exception|failure)(?:_?message)?$/i;
const ERROR = /[._"](?:last_?)?(?:errors?|exception|traceback|failure)(?![a-z])/i;
/** Steps with changes that are kept until the roles of all changes are known. */
const MAX_STEPS = 200;
const MAX_ITEMS = 12;

/** The error that a failed step wrote into its state, where its system tells none. */
export function writtenError(items: readonly Difference[], roles: ChangeRoles): string | undefined {
  for (const { kind, path, after } of items) {
    if (kind === 'removed' || kind === 'moved' || after === undefined) continue;
    if (!ERROR_KEY.test(leafOf(path)) || roles.isTalk(patternOf(path))) continue;
    const message = messageIn(after);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** A text, or what is under `message`. */
function messageIn(json: string): string | undefined {
  const node = parseJson(json);
  const text = node.kind === 'string' ? stringOf(json, node) : stringIn(json, node, 'message');
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** The data that the steps of a run wrote, the newest first. */
export class RunWrites {
  readonly #roles: ChangeRoles;
  #kept: { readonly at: number; readonly items: readonly Kept[]; readonly of: number }[] = [];

  #isFull = false;

  constructor(roles: ChangeRoles) {
    this.#roles = roles;
  }

  /** The newest step comes first. */
  add({ at, items }: StepChanges): void {
    if (items.length === 0 || this.#isFull) return;
    // How a failure is told, and how far a plan is, are no writes.
    const told = items.filter(
      (item) =>
        item.kind !== 'moved' &&
        !isFailure(item) &&
        !PLAN.test(item.path) &&
        !ERROR.test(item.path) &&
        this.#roles.of(item) !== 'conversation',
    );
    if (told.length === 0) return;
    const first = rankDiff({ items: told }).ranked.slice(0, MAX_ITEMS);
    this.#kept.push({ at, items: first.map(sentValues), of: told.length });
    if (this.#kept.length === 2 * MAX_STEPS) this.#trim();
  }

  /** By what is known of the task so far: routine goes first. */
  #trim(): void {
    const telling = this.#kept.filter(({ items }) => items.some((item) => this.#roles.of(item) === 'data'));
    this.#isFull = telling.length >= MAX_STEPS;
    this.#kept = telling.slice(0, MAX_STEPS);
  }

  /**
   * Once every step was observed by the roles. What moves again and again within a list is data of its entries; alone, it
   * is what the run wrote where it wrote nothing else, unless there is a conversation whose turns it may count.
   */
  writes(): readonly WriteAt[] {
    const data = this.#chosen(
      (item) => this.#roles.rankOf(item) === 'data' || (item.path.includes('[') && this.#roles.isRoutineData(item)),
    );
    return data.length > 0 || this.#roles.hasTalk ? data : this.#chosen((item) => this.#roles.isRoutineData(item));
  }

  #chosen(isWrite: (item: Difference) => boolean): WriteAt[] {
    return this.#kept.flatMap(({ at, items, of }) => {
      const chosen = items.filter(isWrite);
      const [item] = chosen;
      if (item === undefined) return [];
      const beyond = items.length === MAX_ITEMS ? of - items.length : 0;
      return [{ at, item, more: chosen.length - 1 + beyond }];
    });
  }
}

/** A change of one followed value. Absent: it was not there. */
export interface ValueChange extends SentValues {
  readonly at: number;
}

/** Follows one value from the end of a run towards its root, also where elements of lists move. */
export class ValueTrace {
  #path: Path;
  #text: string;

  constructor(path: Path) {
    this.#path = path;
    this.#text = formatPath(path);
  }

  /** @returns the change that the step made to the value; the newest step comes first */
  add({ at, items, before, after }: StepChanges, follower: Follower): ValueChange | undefined {
    const place = follower.place(this.#path);
    const was = 'at' in place ? place.at : this.#path;
    const [old, now] = [formatPath(was), this.#text];
    const isTouched = items.some(({ kind, path }) => kind !== 'moved' && isOver(path, kind === 'removed' ? old : now));
    if (!isTouched) {
      this.#move(was, old);
      return undefined;
    }
    const values = { before: 'at' in place ? locate(before, was) : undefined, after: locate(after, this.#path) };
    this.#move(was, old);
    if (values.before === values.after) return undefined;
    return { at, ...compact(values) };
  }

  #move(path: Path, text: string): void {
    this.#path = path;
    this.#text = text;
  }
}

/** The paths are the same, or one lies within the other. */
function isOver(one: string, other: string): boolean {
  const [outer, inner] = one.length <= other.length ? [one, other] : [other, one];
  if (!inner.startsWith(outer)) return false;
  return inner.length === outer.length || inner[outer.length] === '.' || inner[outer.length] === '[';
}

/** The way back of one step. */
export const wayBack = (items: readonly Difference[]): Follower => new Follower(reversed(items));

/** Who wrote some values last. */
export class LastWriters {
  readonly #open = new Map<string, ValueTrace>();
  readonly #found = new Map<string, ValueChange>();

  constructor(paths: readonly Path[]) {
    for (const path of paths) this.#open.set(formatPath(path), new ValueTrace(path));
  }

  get isDone(): boolean {
    return this.#open.size === 0;
  }

  add(step: StepChanges, follower: Follower): void {
    for (const [key, trace] of this.#open) {
      const change = trace.add(step, follower);
      if (change === undefined) continue;
      this.#found.set(key, sentValues(change));
      this.#open.delete(key);
    }
  }

  /** @param path as it is at the end; `undefined` where no step changed it */
  of(path: string): ValueChange | undefined {
    return this.#found.get(path);
  }
}
