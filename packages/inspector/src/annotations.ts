/** Labels and notes of checkpoints: the user's own words, kept in the journal and never in a store. */
import { InspectorError, noCheckpoint, overlaid, refKey, refOfMeta, sameRef } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, StoreId, CheckpointMeta } from '@checkpoint-inspector/core';
import { placeOf, type Annotation, type Annotations, type StorePlace } from '@checkpoint-inspector/changes';
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
}

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
  };
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
  const checkpoints: CheckpointSource['checkpoints'] = async (task, query) => {
    const page = await source.checkpoints(task, query);
    const given = kept()?.ofTask(placeOf(source), task) ?? [];
    const labels = new Map(given.map((one) => [refKey(one.ref), one.labels]));
    return { ...page, items: page.items.map((meta) => labelled(meta, labels)) };
  };
  const meta: CheckpointSource['meta'] = async (ref, options) => {
    const found = await source.meta(ref, options);
    const given = found && kept()?.ofTask(placeOf(source), ref.task);
    return found && labelled(found, new Map(given?.map((one) => [refKey(one.ref), one.labels])));
  };
  return overlaid(source, { checkpoints, meta });
}

function labelled(meta: CheckpointMeta, given: ReadonlyMap<string, readonly string[]>): CheckpointMeta {
  const own = given.get(refKey(refOfMeta(meta)));
  return own === undefined || own.length === 0 ? meta : { ...meta, labels: [...new Set([...meta.labels, ...own])] };
}
