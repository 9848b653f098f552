/** The parts of a bundle, one by one and in any order: a program that formats JSON may have sorted its keys. */
import { compact } from '../compact.ts';
import { IgnoreRules } from '../diff/ignore.ts';
import { InspectorError } from '../errors.ts';
import { refIn, refKey } from '../ids.ts';
import type { CheckpointMeta, CheckpointRef, Problem, StoreId, Task } from '../model.ts';
import { aCount, aList, aNumber, aText, aTime, isJson, isRecord, oneOf, recordOf, refOf, texts } from './fields.ts';
import type { Fields } from './fields.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, type BundleHead } from './format.ts';

/** More are not opened. */
const MAX_CHECKPOINTS = 1_000_000;
const MAX_TASKS = 100_000;

const STATUSES = ['running', 'completed', 'failed', 'interrupted', 'pending', 'unknown'] as const;
const TRIGGERS = ['auto', 'manual', 'error', 'input', 'update', 'fork', 'restore', 'edit'] as const;
const KINDS = ['recorded', 'sidecar', 'inferred'] as const;
const BASES = ['utc', 'local', 'file', 'none'] as const;
const PROBLEMS = ['unreadable', 'locked', 'wrong_key', 'unsupported_version', 'too_large'] as const;

/** A checkpoint without its state; `place` is where all of it is read again. */
export interface BundleRow<Place> {
  readonly meta: CheckpointMeta;
  readonly parent?: CheckpointRef;
  readonly place: Place;
}

export interface ReadTask<Place> {
  readonly task: Task;
  /** Oldest first. */
  readonly rows: readonly BundleRow<Place>[];
}

export interface ReadBundle<Place> {
  readonly head: BundleHead;
  readonly tasks: readonly ReadTask<Place>[];
  /** Whether any checkpoint has what only a store of our own keeps, or what its system keeps beside it. */
  readonly keeps: { readonly saved: boolean; readonly beside: boolean };
}

/** What is remembered of a checkpoint until all is read. */
interface Item {
  readonly meta: Fields;
  readonly parent: CheckpointRef | undefined;
  readonly note: string | undefined;
  readonly problem: Problem | undefined;
  readonly keeps: { readonly saved: boolean; readonly beside: boolean };
}

interface Draft<Place> {
  fields: Fields;
  readonly items: { readonly item: Item | InspectorError; readonly place: Place }[];
}

/**
 * Takes the members of a bundle as they are read and drops the states again.
 * @example const parts = new BundleParts<Range>(); parts.member('format', 'checkpoint-inspector/bundle');
 */
export class BundleParts<Place> {
  readonly #members = new Map<string, unknown>();
  readonly #tasks = new Map<number, Draft<Place>>();
  #count = 0;
  #saved = false;
  #beside = false;

  /** A member of the document, other than `tasks`. */
  member(name: string, value: unknown): void {
    this.#members.set(name, value);
  }

  /** The member `task` of the task at this place. @throws InspectorError too_large */
  task(at: number, value: unknown): void {
    this.#draft(at).fields = recordOf(value);
  }

  /** A checkpoint, or why it can't be read. @throws InspectorError too_large */
  checkpoint(at: number, value: unknown, place: Place): void {
    this.#count += 1;
    assertAtMost(this.#count, MAX_CHECKPOINTS, 'checkpoints');
    const item = InspectorError.is(value) ? value : itemOf(value);
    if (!InspectorError.is(item)) {
      this.#saved ||= item.keeps.saved;
      this.#beside ||= item.keeps.beside;
    }
    this.#draft(at).items.push({ item, place });
  }

  /** @throws InspectorError unreadable | unsupported_version */
  end(store: StoreId): ReadBundle<Place> {
    const head = headOf(Object.fromEntries(this.#members));
    const tasks = new Map<string, Draft<Place>>();
    for (const draft of this.#tasks.values()) {
      const id = aText(draft.fields['id']) ?? '';
      const same = tasks.get(id);
      if (same === undefined) tasks.set(id, draft);
      else same.items.push(...draft.items);
    }
    const named = { store, system: head.store.system };
    return {
      head,
      tasks: [...tasks].map(([id, draft]) => taskOf({ ...named, id }, draft)),
      keeps: { saved: this.#saved, beside: this.#beside },
    };
  }

  #draft(at: number): Draft<Place> {
    assertAtMost(at + 1, MAX_TASKS, 'tasks');
    const draft = this.#tasks.get(at) ?? { fields: {}, items: [] };
    this.#tasks.set(at, draft);
    return draft;
  }
}

function assertAtMost(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new InspectorError('too_large', `The bundle has more than ${most} ${what}.`, {
    remedy: 'Export fewer tasks at once.',
  });
}

function itemOf(value: unknown): Item | InspectorError {
  const { meta, parent, note, state, saved, beside } = recordOf(value);
  if (!isRecord(meta) || typeof meta['id'] !== 'string')
    return new InspectorError('unreadable', "It isn't a checkpoint: it has no id.");
  const problem = problemOf(recordOf(state), meta['problem']);
  const keeps = { saved: isRecord(saved), beside: isRecord(beside) };
  return { meta, parent: refOf(parent), note: aText(note), problem, keeps };
}

/** Why the state is missing. */
function problemOf(state: Fields, problem: unknown): Problem | undefined {
  const { code, message, offset } = recordOf(problem);
  const known = oneOf(code, PROBLEMS);
  if (known !== undefined)
    return { code: known, message: aText(message) ?? 'It could not be read.', ...compact({ offset: aCount(offset) }) };
  const { text, missing } = state;
  if (typeof text !== 'string')
    return { code: 'unreadable', message: aText(missing) ?? "Its state isn't in the bundle." };
  return isJson(text) ? undefined : { code: 'unreadable', message: "Its state isn't valid JSON." };
}

function headOf(fields: Fields): BundleHead {
  if (fields['format'] !== BUNDLE_FORMAT) throw new InspectorError('unreadable', "This file isn't a bundle.");
  const version = fields['version'];
  if (version !== BUNDLE_VERSION)
    throw new InspectorError(
      'unsupported_version',
      `This bundle has version ${JSON.stringify(version) ?? 'none'}; version ${BUNDLE_VERSION} is supported.`,
      { data: { version: aNumber(version) ?? null } },
    );
  const { label, system, latestRule, volatilePaths } = recordOf(fields['store']);
  const name = aText(system) ?? '';
  return {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    ...compact({ madeBy: aText(fields['madeBy']), exportedAt: aTime(fields['exportedAt']) }),
    redacted: fields['redacted'] === true,
    store: {
      label: aText(label) ?? '',
      system: /^[\p{L}\p{N}][\p{L}\p{N} ()._-]{0,39}$/u.test(name) ? name : 'bundle',
      latestRule: aText(latestRule) || 'the last one in the bundle',
      volatilePaths: texts(volatilePaths).filter(isRule),
    },
    masked: aList(fields['masked']).flatMap((one) => {
      const { name: shape, count } = recordOf(one);
      return typeof shape === 'string' ? [{ name: shape, count: aCount(count) ?? 0 }] : [];
    }),
    leftOut: texts(fields['leftOut']),
  };
}

function isRule(path: string): boolean {
  try {
    return Boolean(new IgnoreRules([path]));
  } catch {
    return false;
  }
}

interface Named {
  readonly store: StoreId;
  readonly system: string;
  readonly id: string;
}

function taskOf<Place>(named: Named, { fields, items }: Draft<Place>): ReadTask<Place> {
  const { store, system, id } = named;
  const taken = new Set<string>();
  const drafts = items.map(({ item, place }, at) => ({ ...rowOf(named, item, at, taken), place }));
  const latest = drafts.findLast(({ meta }) => meta.problem === undefined)?.meta;
  const rows = drafts.map((row) => (row.meta === latest ? { ...row, meta: { ...row.meta, isLatest: true } } : row));
  const times = rows.map(({ meta }) => meta.createdAt ?? '').filter((time) => time !== '');
  const latestId = aText(fields['latestId']);
  const task: Task = {
    store,
    id,
    title: aText(fields['title']) ?? id,
    system,
    checkpointCount: rows.length,
    unreadable: rows.filter(({ meta }) => meta.problem !== undefined).length,
    status: oneOf(fields['status'], STATUSES) ?? 'unknown',
    ...compact({
      agentId: aText(fields['agentId']),
      latestId: latest?.id,
      latestNamespace: latest?.namespace,
      latestNote:
        latestId === undefined || latestId === latest?.id ? aText(fields['latestNote']) : notIncluded(latestId),
      lastError: aText(fields['lastError']),
      updatedAt: aTime(fields['updatedAt']) ?? times.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1),
      sizeBytes: aCount(fields['sizeBytes']),
      kind: oneOf(fields['kind'], ['unassigned', 'archived']),
    }),
  };
  return { task, rows };
}

const notIncluded = (id: string): string => `The latest of this task, "${id}", isn't in the bundle with its state.`;

/** A checkpoint that can't be listed under its id is listed under its place: nothing is left out silently. */
function rowOf(named: Named, item: Item | InspectorError, at: number, taken: Set<string>) {
  const read = InspectorError.is(item) ? item : metaOf(named, item, at);
  if (!InspectorError.is(read)) {
    const ref = refIn(named.id, read.meta);
    const key = refKey(ref);
    if (!taken.has(key)) {
      taken.add(key);
      return read;
    }
    return { meta: unlisted(named, at, taken, `"${read.meta.id}" is in the bundle twice; this is the second.`) };
  }
  return { meta: unlisted(named, at, taken, read.message, read.code === 'too_large' ? 'too_large' : 'unreadable') };
}

function unlisted(named: Named, at: number, taken: Set<string>, message: string, code: Problem['code'] = 'unreadable') {
  let id = `#${at + 1}`;
  while (taken.has(refKey({ task: named.id, id }))) id = `#${id}`;
  taken.add(refKey({ task: named.id, id }));
  const facts = { store: named.store, id, taskId: named.id, seq: at + 1, labels: [], sizeBytes: 0, isLatest: false };
  const meta: CheckpointMeta = {
    ...facts,
    lineage: 'none',
    timeBasis: 'none',
    status: 'unknown',
    problem: { code, message },
  };
  return meta;
}

function metaOf({ store, id: task }: Named, { meta, parent, note, problem }: Item, at: number) {
  const basis = oneOf(meta['timeBasis'], BASES) ?? 'none';
  const createdAt = aTime(meta['createdAt']);
  const isTimed = (basis === 'utc' || basis === 'file') && createdAt !== undefined;
  const read: CheckpointMeta = {
    store,
    id: aText(meta['id']) ?? '',
    taskId: task,
    lineage: parent === undefined ? 'none' : (oneOf(meta['lineage'], KINDS) ?? 'recorded'),
    seq: aCount(meta['seq']) ?? at + 1,
    timeBasis: isTimed || basis === 'local' ? basis : 'none',
    status: oneOf(meta['status'], STATUSES) ?? 'unknown',
    labels: texts(meta['labels']),
    sizeBytes: aCount(meta['sizeBytes']) ?? 0,
    isLatest: false,
    ...compact({
      namespace: aText(meta['namespace']) || undefined,
      parentId: parent?.id,
      parentTaskId: parent === undefined || parent.task === task ? undefined : parent.task,
      stepIndex: aNumber(meta['stepIndex']),
      totalSteps: aNumber(meta['totalSteps']),
      createdAt: isTimed ? createdAt : undefined,
      createdAtText: aText(meta['createdAtText']),
      trigger: oneOf(meta['trigger'], TRIGGERS),
      description: aText(meta['description']),
      agentId: aText(meta['agentId']),
      durationMs: aNumber(meta['durationMs']),
      tokenUsage: aNumber(meta['tokenUsage']),
      costUsd: aNumber(meta['costUsd']),
      gitCommit: aText(meta['gitCommit']),
      graphSignature: aText(meta['graphSignature']),
      stateBytes: aCount(meta['stateBytes']),
      note,
      problem,
    }),
  };
  return { meta: read, ...compact({ parent }) };
}
