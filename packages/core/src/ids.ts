import { InspectorError } from './errors.ts';
import { maskSecrets } from './secrets/masker.ts';
import type { CheckpointMeta, CheckpointRef, StoreId } from './model.ts';

const STORE_ID = /^[a-z0-9-]+$/;

/**
 * Checks a store id. @throws InspectorError invalid_input
 * @example storeId('prod-1')
 */
export function storeId(text: string): StoreId {
  if (!STORE_ID.test(text)) {
    throw new InspectorError('invalid_input', `"${text}" isn't a valid store id: only a-z, 0-9 and "-" are allowed.`);
  }
  return text as StoreId;
}

/** A store id made from any name; `taken` ids get a number appended. @example storeIdFrom('My DB.sqlite') // 'my-db-sqlite' */
export function storeIdFrom(name: string, taken: (id: string) => boolean = () => false): StoreId {
  // Ids are in addresses and links: a secret in a file's name is not in them.
  const base =
    maskSecrets(name)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'store';
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!taken(id)) return storeId(id);
  }
}

/** An id as one URL path segment: `encodeURIComponent`, after a `~` if it is empty or begins with `.` or `~`. */
export function idToSegment(id: string): string {
  const guard = id === '' || id.startsWith('.') || id.startsWith('~') ? '~' : '';
  return guard + encodeURIComponent(id.toWellFormed());
}

/** The id in a decoded path segment. */
export function idFromSegment(segment: string): string {
  return segment.startsWith('~') ? segment.slice(1) : segment;
}

/** Equal place in a store. */
export function sameRef(
  a: { task: string; namespace?: string | undefined; id: string },
  b: { task: string; namespace?: string | undefined; id: string },
): boolean {
  return a.task === b.task && (a.namespace ?? '') === (b.namespace ?? '') && a.id === b.id;
}

/** One string per ref, for maps; unambiguous for any characters. */
export function refKey(ref: { task: string; namespace?: string | undefined; id: string }): string {
  return JSON.stringify([ref.task, ref.namespace ?? '', ref.id]);
}

/** The ref that a key names; `undefined` for any other text. */
export function refOfKey(key: string): CheckpointRef | undefined {
  try {
    const parts: unknown = JSON.parse(key);
    if (!Array.isArray(parts) || parts.length !== 3) return undefined;
    const [task, namespace, id]: unknown[] = parts;
    if (typeof task !== 'string' || typeof namespace !== 'string' || typeof id !== 'string') return undefined;
    return { task, ...(namespace === '' ? {} : { namespace }), id };
  } catch {
    return undefined;
  }
}

type Row = Pick<CheckpointRef, 'namespace' | 'id'>;

/** The ref of a row of this task. */
export function refIn(task: string, { namespace, id }: Row): CheckpointRef {
  return { task, ...(namespace ? { namespace } : {}), id };
}

/** Bytes that the state of a checkpoint has, or has at most. */
export const stateBytesOf = ({ sizeBytes, stateBytes }: Pick<CheckpointMeta, 'sizeBytes' | 'stateBytes'>): number =>
  stateBytes ?? sizeBytes;

/** The ref of a checkpoint as lists have it. */
export const refOfMeta = (meta: Row & Pick<CheckpointMeta, 'taskId'>): CheckpointRef => refIn(meta.taskId, meta);

/** The refusal of a checkpoint that is missing. @example throw noCheckpoint({ task: 'run-1', id: 'cp-9' }) */
export function noCheckpoint(ref: CheckpointRef): InspectorError {
  return new InspectorError('not_found', `No checkpoint "${ref.id}" in task "${ref.task}".`, { data: { ...ref } });
}

/** The refusal of a checkpoint whose id is taken. @example throw alreadyStored({ task: 'run-1', id: 'cp-1' }) */
export function alreadyStored(ref: CheckpointRef): InspectorError {
  return new InspectorError('changed', `Checkpoint "${ref.id}" of task "${ref.task}" already exists.`, {
    data: { ...ref },
    remedy: "Choose another id. Only a save with { ifExists: 'replace' } overwrites a checkpoint.",
  });
}

/** A checkpoint with its store: what a link, a diff and a command name. */
export interface Address {
  readonly store: string;
  readonly task: string;
  readonly namespace?: string;
  readonly id: string;
}

/** `store/task/id` or `store/task/namespace/id`, each part one path segment. @example 'demo/run-1/ckpt_1' */
export function formatAddress(address: Address): string {
  const parts = [address.store, idToSegment(address.task)];
  if (address.namespace) parts.push(idToSegment(address.namespace));
  return [...parts, idToSegment(address.id)].join('/');
}

/** @throws InspectorError invalid_input */
export function parseAddress(text: string): Address {
  const parts = text.split('/');
  if (parts.length !== 3 && parts.length !== 4) {
    throw new InspectorError('invalid_input', `"${text}" isn't a valid checkpoint address.`, {
      remedy: 'Write store/task/id or store/task/namespace/id.',
    });
  }
  const [store = '', task = '', ...rest] = parts.map(decodeSegment);
  const id = rest.pop() ?? '';
  return { store: storeId(store), task, ...(rest[0] ? { namespace: rest[0] } : {}), id };
}

/**
 * A run: the branch that ends at a checkpoint, or at the latest of a task.
 * @example const latestOf: RunAddress = parseRunAddress('demo/run-1') // { store: 'demo', task: 'run-1' }
 */
export interface RunAddress {
  readonly store: StoreId;
  readonly task: string;
  readonly namespace?: string;
  /** Absent: the latest. */
  readonly id?: string;
}

/** `store/task`, or the address of the checkpoint it ends at. @example formatRunAddress({ store, task: 'run-1' }) // 'demo/run-1' */
export function formatRunAddress({ id, ...run }: RunAddress): string {
  return id === undefined ? [run.store, idToSegment(run.task)].join('/') : formatAddress({ ...run, id });
}

/** `store/task`, or the address of a checkpoint. @throws InspectorError invalid_input */
export function parseRunAddress(text: string): RunAddress {
  const [store = '', task, ...more] = text.split('/');
  try {
    if (task !== undefined && more.length === 0) return { store: storeId(store), task: decodeSegment(task) };
    const address = parseAddress(text);
    return { ...address, store: storeId(address.store) };
  } catch (cause) {
    throw new InspectorError('invalid_input', `"${text}" isn't a valid address of a run.`, {
      cause,
      remedy: 'Write store/task for its latest checkpoint, or store/task/id for another one.',
    });
  }
}

function decodeSegment(segment: string): string {
  try {
    return idFromSegment(decodeURIComponent(segment));
  } catch (cause) {
    throw new InspectorError('invalid_input', `"${segment}" isn't a valid path segment.`, { cause });
  }
}
