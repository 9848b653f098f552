/** A SQLite file's rows that no thread lists, as a task of their own: what is damaged is seen, and holds nothing up. */
import {
  InspectorError,
  noCheckpoint,
  sortedPage,
  type CheckpointMeta,
  type CheckpointRef,
  type LineageRowWithFacts,
  type Page,
  type PageQuery,
  type Problem,
  type StoreId,
  type SystemRequest,
  type Task,
  type TaskPage,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import type { SqliteRules } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { unassignedTask } from '../folder/rows.ts';
import type { OddRow } from './odd-rows.ts';
import type { SqliteQueries } from './sqlite-queries.ts';

const TITLE = 'Rows without a readable key';
const NOT_NAMED = "This row's key isn't text, so the row can't be identified.";
const REFUSED = { restore: NOT_NAMED, fork: NOT_NAMED, edit: NOT_NAMED, delete: NOT_NAMED };

interface Reading {
  readonly queries: SqliteQueries;
}

type Rules<R extends object> = Omit<SqliteRules<R>, 'read' | 'info'>;

/** The rules of threads, and beside them the rows that belong to none. */
export function withOddRows<R extends Reading>(store: StoreId, rules: Rules<R>): Rules<R> {
  const { beside, capability } = rules;
  const oddIn = ({ queries }: Reading): OddTask | undefined =>
    queries.odd().length === 0 ? undefined : new OddTask(store, queries);
  const here = (reading: Reading, task: string): OddTask | undefined => {
    const odd = oddIn(reading);
    return odd?.id === task ? odd : undefined;
  };
  return {
    ...rules,
    tasks: async (reading, query) => {
      const page = await rules.tasks(reading, query);
      return oddIn(reading)?.behind(page, query) ?? page;
    },
    checkpoints: (reading, task, query) => here(reading, task)?.page(query) ?? rules.checkpoints(reading, task, query),
    lineage: (reading, task, options) =>
      here(reading, task)?.lineage(options?.facts) ?? rules.lineage(reading, task, options),
    meta: (reading, ref) => {
      const odd = here(reading, ref.task);
      return odd ? odd.meta(ref) : rules.meta(reading, ref);
    },
    state: (reading, ref) => {
      const odd = here(reading, ref.task);
      return odd ? odd.state(ref) : rules.state(reading, ref);
    },
    raw: (reading, ref) => {
      const odd = here(reading, ref.task);
      return odd ? odd.raw(ref) : rules.raw(reading, ref);
    },
    latest: (reading, task) => here(reading, task)?.latest ?? rules.latest(reading, task),
    find: async (reading, id) => [...(await rules.find(reading, id)), ...(oddIn(reading)?.find(id) ?? [])],
    ...(beside && { beside: (reading, ref) => (here(reading, ref.task) ? undefined : beside(reading, ref)) }),
    ...(capability && {
      capability: (reading, ref) => {
        const odd = here(reading, ref.task);
        if (!odd) return capability(reading, ref);
        return odd.meta(ref) ? REFUSED : {};
      },
    }),
    plan: async (reading, request, info) => {
      here(reading, taskIn(request))?.refuse(request);
      return rules.plan(reading, request, info);
    },
  };
}

const refsIn = (request: SystemRequest): readonly CheckpointRef[] =>
  request.kind === 'delete' ? request.refs : [request.ref];
const taskIn = (request: SystemRequest): string => refsIn(request)[0]?.task ?? '';

class OddTask {
  readonly id: string;
  readonly latest = { basis: 'none', note: 'None of these rows can be read.' } as const;
  readonly #store: StoreId;
  readonly #queries: SqliteQueries;
  readonly #rows: readonly OddRow[];
  /** Of each row, oldest first. */
  readonly #metas: readonly (CheckpointMeta & { readonly problem: Problem })[];

  constructor(store: StoreId, queries: SqliteQueries) {
    this.#store = store;
    this.#queries = queries;
    this.#rows = queries.odd();
    this.id = unassignedTask({ has: (id) => queries.thread(id) !== undefined }, 'unassigned rows');
    this.#metas = this.#rows.map((row, at) => ({
      store,
      id: idOf(row),
      taskId: this.id,
      lineage: 'none',
      seq: at + 1,
      timeBasis: 'none',
      status: 'unknown',
      description: whereOf(row),
      labels: [],
      sizeBytes: row.sizeBytes,
      isLatest: false,
      problem: problemOf(row),
    }));
  }

  /** The last of all tasks. */
  behind(page: TaskPage, { text = '' }: TaskQuery): TaskPage {
    const of = page.of === undefined ? {} : { of: page.of + 1 };
    const isAsked = [this.id, TITLE].some((name) => name.toLowerCase().includes(text.toLowerCase()));
    return page.cursor === undefined && isAsked
      ? { ...page, ...of, items: [...page.items, this.#task()] }
      : { ...page, ...of };
  }

  page({ limit, cursor, around }: PageQuery): Page<CheckpointMeta> {
    const items = this.#metas.toReversed();
    const at = around === undefined ? undefined : items.findIndex(({ id }) => id === around.id);
    if (around !== undefined && at === -1) throw noCheckpoint(around);
    return sortedPage(items, {
      limit,
      cursor,
      around: at,
      placeOf: ({ id, seq }) => [id, String(seq)],
      isAfter: ({ seq }, [, place]) => seq < Number(place),
    });
  }

  lineage(withFacts = false): LineageRowWithFacts[] {
    return this.#metas.map(({ id, status, seq, isLatest, description, problem, sizeBytes }) => ({
      ...defined({ id, kind: 'none' as const, status, seq, isLatest, description, problem: problem.code }),
      ...(withFacts ? { facts: { sizeBytes } } : {}),
    }));
  }

  meta({ task, namespace, id }: CheckpointRef): CheckpointMeta | undefined {
    return task === this.id && namespace === undefined ? this.#metas.find((meta) => meta.id === id) : undefined;
  }

  /** @throws InspectorError unreadable */
  state(ref: CheckpointRef): undefined {
    const problem = this.meta(ref)?.problem;
    if (problem) throw new InspectorError('unreadable', problem.message, { data: { ...ref } });
  }

  raw(ref: CheckpointRef): Uint8Array | undefined {
    const row = this.meta(ref) && this.#rows.find((one) => idOf(one) === ref.id);
    return row && this.#queries.oddBytes(row);
  }

  find(id: string): CheckpointRef[] {
    const ref = { task: this.id, id };
    return this.meta(ref) ? [ref] : [];
  }

  /** @throws InspectorError not_found | unsupported */
  refuse(request: SystemRequest): never {
    const refs = refsIn(request);
    const missing = refs.find((ref) => !this.meta(ref));
    if (missing) throw noCheckpoint(missing);
    throw new InspectorError('unsupported', NOT_NAMED, { data: { ...refs[0] } });
  }

  #task(): Task {
    return {
      store: this.#store,
      id: this.id,
      title: TITLE,
      system: 'langgraph',
      checkpointCount: this.#rows.length,
      unreadable: this.#rows.length,
      latestNote: this.latest.note,
      status: 'unknown',
      sizeBytes: this.#rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      kind: 'unassigned',
    };
  }
}

const idOf = ({ table, rowid }: OddRow): string =>
  table === 'checkpoints' ? `rowid ${rowid}` : `write rowid ${rowid}`;

const whereOf = ({ table, thread }: OddRow): string =>
  thread === undefined ? `table ${table}` : `table ${table}, thread "${thread}"`;

const problemOf = ({ table, column }: OddRow): Problem => ({
  code: 'unreadable',
  message: `The column ${column} of this row in the table ${table} isn't text.`,
});
