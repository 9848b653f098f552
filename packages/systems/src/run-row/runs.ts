import { InspectorError, sameRef, type CheckpointRef, type Problem } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { defined, problemOf } from '../folder/document.ts';
import { Kept } from '../folder/kept.ts';
import { compare, groupBy } from '../folder/rows.ts';
import { idAt, type Place, type Run, type RunHead, type RunRules, type RunStep, type RunText } from './contract.ts';

/** A row that was written so short a time before it was read may have been written again since, with the same time. */
const SETTLED_MS = 1_000;

/** The rows of one run: the workflow that was started, then those nested in it. */
export interface RunTask {
  readonly id: string;
  /** The root first. */
  readonly heads: readonly [RunHead, ...RunHead[]];
  readonly updatedAt: string;
}

interface Known {
  readonly key: string;
  readonly isSettled: boolean;
  readonly version: unknown;
  readonly found: Run | { readonly problem: Problem };
}

/** A row's state as stored. Only older states and lists need to know what is in it. */
class RowText {
  readonly text: string;
  readonly #rules: RunRules;
  #read: RunText | undefined;

  constructor(text: string, rules: RunRules) {
    this.text = text;
    this.#rules = rules;
  }

  /** @throws InspectorError unreadable: it isn't a run */
  read(): RunText {
    return (this.#read ??= this.#rules.read(this.text));
  }
}

/** One table of runs, read; what is known of a row is kept until the row changes. */
export class Runs {
  readonly database: SqliteDatabase;
  readonly rules: RunRules;
  readonly #known = new Map<bigint, Known>();
  /** By rowid, as of `#version`: going from state to state of a run reads its row once. */
  readonly #texts = new Kept<bigint, RowText>();
  #tasks: readonly RunTask[] = [];
  #byId = new Map<string, RunTask>();
  #places = new Map<string, readonly Place[]>();
  #version: unknown;

  constructor(database: SqliteDatabase, rules: RunRules) {
    this.database = database;
    this.rules = rules;
  }

  /** Newest write first, ties by id. */
  tasks(): readonly RunTask[] {
    const version = this.database.pragma('data_version');
    if (version === this.#version) return this.#tasks;
    this.#texts.clear();
    const groups = groupBy(this.rules.heads(this.database), ({ run }) => run);
    this.#tasks = [...groups].flatMap(([id, heads]) => taskOf(id, heads)).toSorted(byWrite);
    this.#byId = new Map(this.#tasks.map((task) => [task.id, task]));
    this.#places = new Map();
    this.#version = version;
    return this.#tasks;
  }

  task(id: string): RunTask | undefined {
    this.tasks();
    return this.#byId.get(id);
  }

  /** Every checkpoint of a run, oldest first; none of an unknown one. */
  places(id: string): readonly Place[] {
    const task = this.task(id);
    if (!task) return [];
    const known = this.#places.get(id) ?? this.#placed(task);
    this.#places.set(id, known);
    return known;
  }

  #placed(task: RunTask): readonly Place[] {
    const rows = task.heads.flatMap((head, at) => this.#placesOf(task, head, at === 0));
    // A nested run's steps are between those of its parent; a row's own always keep their order.
    const ordered = rows.toSorted((a, b) => compare(a.time, b.time) || Number(a.isRoot) - Number(b.isRoot));
    const latest = ordered.findLast(({ place, isRoot }) => isRoot && !place.problem) ?? ordered.findLast(isReadable);
    const last = latest ? [...ordered.filter((row) => row !== latest), latest] : ordered;
    return last.map(({ place }, at) => ({ ...place, seq: at + 1, isLatest: place === latest?.place }));
  }

  place(ref: CheckpointRef): Place | undefined {
    return this.places(ref.task).find((place) => sameRef(place.ref, ref));
  }

  latest(task: string): Place | undefined {
    return this.places(task).find(({ isLatest }) => isLatest);
  }

  /** `undefined` where the row is gone. @throws InspectorError unreadable | too_large */
  text({ head, step, isRow, problem }: Place): string | undefined {
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { offset: problem.offset } });
    const row = this.#textOf(head);
    return isRow ? row?.text : row?.read().stateAfter(step.index);
  }

  /** The stored bytes of the row; of a place before it, those that going back there writes. */
  bytes(place: Place): Uint8Array | undefined {
    return this.rules.stored(this.database, place.head, place.isRow ? undefined : this.text(place));
  }

  /** Of a row that was just read. */
  run(head: RunHead): Run | { readonly problem: Problem } {
    const key = `${head.run} ${head.name} ${head.updatedAt} ${head.sizeBytes}`;
    const version = this.#version;
    const known = this.#known.get(head.rowid);
    if (known?.key === key && (known.isSettled || known.version === version)) return known.found;
    const found = this.#read(head);
    const age = Date.now() - Date.parse(head.updatedAt ?? '');
    this.#known.set(head.rowid, { key, isSettled: age > SETTLED_MS, version, found });
    return found;
  }

  #read(head: RunHead): Run | { readonly problem: Problem } {
    try {
      if (head.oddKey !== undefined)
        throw new InspectorError('unreadable', `The column ${head.oddKey} of this row isn't text.`);
      return (this.#textOf(head) ?? new RowText('', this.rules)).read().run;
    } catch (error) {
      return { problem: problemOf(error) };
    }
  }

  /** `undefined` where the row is gone. @throws InspectorError unreadable | too_large */
  #textOf(head: RunHead): RowText | undefined {
    const known = this.#texts.get(head.rowid);
    if (known) return known;
    const text = this.rules.text(this.database, head);
    return text === undefined ? undefined : this.#texts.set(head.rowid, new RowText(text, this.rules), text.length);
  }

  #placesOf(task: RunTask, head: RunHead, isRoot: boolean): Timed[] {
    const namespace = isRoot ? undefined : head.name;
    const found = this.run(head);
    const refAt = (id: string): CheckpointRef => defined({ task: task.id, namespace, id });
    if ('problem' in found) {
      const step: RunStep = { index: 0, description: head.name, sizeBytes: head.sizeBytes };
      const place = { ref: refAt(`${task.id}:row`), head, step, isRow: true, isLatest: false, seq: 0, ...found };
      return [{ place, isRoot, time: head.updatedAt ?? '' }];
    }
    let time = head.createdAt ?? '';
    // A run that names itself as its origin would be its own parent.
    const origin = found.parent?.task === task.id ? undefined : found.parent;
    return found.steps.map((step, at): Timed => {
      const isRow = at === found.steps.length - 1;
      const before = found.steps[at - 1];
      const parent = before ? refAt(idAt(task.id, before.index)) : origin;
      const ref = refAt(idAt(task.id, step.index));
      if ((step.endedAt ?? '') > time) time = step.endedAt ?? '';
      const place = defined({ ref, head, step, run: found, isRow, isLatest: false, seq: 0, parent });
      return { place, isRoot, time };
    });
  }
}

interface Timed {
  readonly place: Place;
  readonly isRoot: boolean;
  readonly time: string;
}

const isReadable = ({ place }: Timed): boolean => !place.problem;

/** The workflow that was started is written first. */
function taskOf(id: string, heads: readonly RunHead[]): RunTask[] {
  const [root, ...nested] = heads.toSorted(
    (a, b) => compare(a.createdAt ?? '', b.createdAt ?? '') || Number(a.rowid - b.rowid),
  );
  if (!root) return [];
  const updatedAt = heads.reduce(
    (newest, head) => ((head.updatedAt ?? '') > newest ? (head.updatedAt ?? '') : newest),
    '',
  );
  return [{ id, heads: [root, ...nested], updatedAt }];
}

/** Newest write first, ties by id. */
export function byWrite(a: Pick<RunTask, 'id' | 'updatedAt'>, b: Pick<RunTask, 'id' | 'updatedAt'>): number {
  return compare(b.updatedAt, a.updatedAt) || compare(a.id, b.id);
}
