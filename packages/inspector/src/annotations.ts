/** Labels and notes of checkpoints: the user's own words, kept in the journal and never in a store. */
import { InspectorError, noCheckpoint, overlaid, refKey, refOfMeta, sameRef } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, StoreId, CheckpointMeta } from '@checkpoint-inspector/core';
import {
  assertLabel,
  placeOf,
  type Annotation,
  type Annotations,
  type StorePlace,
} from '@checkpoint-inspector/changes';
import type { StoreService } from './stores/types.ts';

export interface AnnotationService {
  ofTask(store: StoreId, task: string): readonly Annotation[];
  ofStore(store: StoreId): readonly Annotation[];
  of(store: StoreId, ref: CheckpointRef): Annotation;
  /** @throws InspectorError not_found | invalid_input | read_only */
  addLabel(store: StoreId, ref: CheckpointRef, label: string): Promise<Annotation>;
  removeLabel(store: StoreId, ref: CheckpointRef, label: string): Promise<Annotation>;
  /** A blank note takes it away. @throws InspectorError not_found | invalid_input | read_only */
  setNote(store: StoreId, ref: CheckpointRef, note: string): Promise<Annotation>;
  /**
   * Adds labels and a note that came with a checkpoint to a store that need not be open here; a note that was written
   * here stays. Absent where no journal is kept.
   * @throws InspectorError invalid_input | changed (another note is there)
   */
  readonly keep?: KeepWords;
}

/** What people wrote about a checkpoint. */
export type Words = Pick<CheckpointMeta, 'labels' | 'note'>;
export type KeepWords = (source: CheckpointSource, ref: CheckpointRef, words: Words) => void;

/** @param annotations absent where no journal is kept: then nothing is there, and nothing can be written. */
export function createAnnotationService(deps: {
  readonly stores: StoreService;
  readonly annotations: Annotations | undefined;
  readonly readOnly: boolean;
}): AnnotationService {
  const { stores, annotations, readOnly } = deps;
  const place = (store: StoreId): StorePlace => placeOf(stores.source(store));
  const write = async (
    store: StoreId,
    ref: CheckpointRef,
    act: (kept: Annotations, place: StorePlace) => Annotation,
    isNew: boolean,
  ): Promise<Annotation> => {
    if (readOnly) throw new InspectorError('read_only', 'This server was started read-only.');
    if (!annotations) throw new InspectorError('unsupported', 'There is no journal here to keep it in.');
    // What is gone keeps its words; only new ones need a checkpoint.
    if (isNew) await assertThere(stores.source(store), ref);
    const written = act(annotations, place(store));
    stores.touch(store, ref.task);
    return written;
  };
  return {
    ofTask: (store, task) => annotations?.ofTask(place(store), task) ?? [],
    ofStore: (store) => annotations?.ofPlace(place(store)) ?? [],
    of: (store, ref) => annotations?.of(place(store), ref) ?? { ref, labels: [] },
    addLabel: (store, ref, label) => write(store, ref, (kept, at) => kept.addLabel(at, ref, label), true),
    removeLabel: (store, ref, label) => write(store, ref, (kept, at) => kept.removeLabel(at, ref, label), false),
    setNote: (store, ref, note) => write(store, ref, (kept, at) => kept.setNote(at, ref, note), note.trim() !== ''),
    ...(annotations && !readOnly && { keep: (...given) => keepWords(annotations, ...given) }),
  };
}

/** What can be kept is; then the first reason is thrown. */
function keepWords(annotations: Annotations, source: CheckpointSource, ref: CheckpointRef, words: Words): void {
  const place = placeOf(source);
  const there = annotations.of(place, ref);
  const failures: InspectorError[] = [];
  for (const label of words.labels.filter((one) => !there.labels.includes(one))) {
    try {
      annotations.addLabel(place, ref, label);
    } catch (cause) {
      failures.push(labelError(label, cause));
    }
  }
  const { note } = words;
  const isNew = note !== undefined && note.trim() !== '' && note !== there.note;
  if (isNew && there.note === undefined) annotations.setNote(place, ref, note);
  else if (isNew)
    failures.push(new InspectorError('changed', 'Another note is written about this checkpoint; it is left as it is.'));
  if (failures[0] !== undefined) throw failures[0];
}

/** What `keep` would throw, whatever is written about the checkpoint. @throws InspectorError invalid_input */
export function assertKeepable({ labels }: Words): void {
  for (const label of labels) {
    try {
      assertLabel(label);
    } catch (cause) {
      throw labelError(label, cause);
    }
  }
}

/** Characters of a label in a message. */
const SHOWN = 40;

function labelError(label: string, cause: unknown): InspectorError {
  const { code, message, remedy } = InspectorError.from(cause);
  const name = label.length > SHOWN ? `${label.slice(0, SHOWN)}…` : label;
  return new InspectorError(code, `The label "${name}" can't be kept. ${message}`, { cause, remedy });
}

async function assertThere(source: CheckpointSource, ref: CheckpointRef): Promise<void> {
  const found = await source.find(ref.id);
  if (found.some((one) => sameRef(one, ref))) return;
  throw noCheckpoint(ref);
}

/**
 * The same source, with the labels that people gave its checkpoints behind those that its system gives them, each
 * once. They are read again for every page: a label may come from another process.
 * @param kept absent while no journal is open
 */
export function withLabels(source: CheckpointSource, kept: () => Annotations | undefined): CheckpointSource {
  let known: StorePlace | undefined;
  // Where a store is doesn't change while it is open, and finding out asks the file system.
  const place = (): StorePlace => (known ??= placeOf(source));
  const checkpoints: CheckpointSource['checkpoints'] = async (task, query) => {
    const page = await source.checkpoints(task, query);
    const given = kept()?.ofTask(place(), task) ?? [];
    if (given.length === 0) return page;
    const labels = new Map(given.map((one) => [refKey(one.ref), one.labels]));
    return { ...page, items: page.items.map((meta) => labelled(meta, labels)) };
  };
  const meta: CheckpointSource['meta'] = async (ref, options) => {
    const found = await source.meta(ref, options);
    if (found === undefined) return undefined;
    const given = kept()?.ofTask(place(), ref.task) ?? [];
    return given.length === 0 ? found : labelled(found, new Map(given.map((one) => [refKey(one.ref), one.labels])));
  };
  const version: CheckpointSource['version'] = (options) =>
    kept()?.hasLabels(place()) ? undefined : source.version?.(options);
  return overlaid(source, { checkpoints, meta, ...(source.version ? { version } : {}) });
}

function labelled(meta: CheckpointMeta, given: ReadonlyMap<string, readonly string[]>): CheckpointMeta {
  const own = given.get(refKey(refOfMeta(meta)));
  return own === undefined || own.length === 0 ? meta : { ...meta, labels: [...new Set([...meta.labels, ...own])] };
}
