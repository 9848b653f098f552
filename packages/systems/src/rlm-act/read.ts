import { InspectorError } from '@checkpoint-inspector/core';
import { FolderSource, planDelete, type FolderOptions, type FolderRules } from '../folder/index.ts';
import { checkpointReader, textOf, type StoredFile } from './files.ts';
import { infoOf, NO_FORK } from './info.ts';
import { lineageOf, metaOf, taskOf } from './meta.ts';
import { taskOfFolder } from './names.ts';
import { planRestore } from './plan-restore.ts';
import { compareRank, snapshotInSteps, snapshotOf, type Row, type Snapshot } from './rows.ts';

export type RlmActOptions = FolderOptions;

const rulesFor = (folder: string): FolderRules<StoredFile, Row, Snapshot> => ({
  reader: checkpointReader(),
  snapshotOf: ({ files }) => snapshotInSteps(taskOfFolder(folder), files),
  info: infoOf,
  title: ({ id }) => id,
  task: (store, _task, snapshot) => taskOf(store, snapshot),
  meta: metaOf,
  lineage: lineageOf,
  plan: async (request, basis) => {
    if (request.kind === 'fork') throw new InspectorError('unsupported', NO_FORK);
    if (request.kind !== 'delete') return planRestore(request, basis);
    const { task, files } = basis.snapshot;
    const latestWithout = (removed: ReadonlySet<StoredFile>) =>
      snapshotOf(
        task,
        files.filter((file) => !removed.has(file)),
      ).latest;
    return planDelete(request, basis, { resumer: 'pipeline', latestWithout });
  },
  placeOf: ({ rank }) => rank.map(String),
  isAfter: ({ rank }, [readable, text = '', id = '']) => compareRank(rank, [readable === '1' ? 1 : 0, text, id]) < 0,
});

/** A project's folder of rlm-act checkpoints: one task. Reading never writes; changes are plans of file ops. */
export class RlmActSource extends FolderSource<StoredFile, Row, Snapshot> {
  /** @throws InspectorError not_found | unreadable */
  static open(options: RlmActOptions): Promise<RlmActSource> {
    return new RlmActSource(options, rulesFor(options.folder)).opened();
  }

  protected override async textOf({ file }: Row, bytes: Uint8Array): Promise<string> {
    return textOf(file.entry.name, bytes);
  }
}
