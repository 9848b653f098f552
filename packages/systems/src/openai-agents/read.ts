import type { CallOptions, CheckpointRef, RowCapabilities } from '@checkpoint-inspector/core';
import { findRow, FolderSource, planDelete, type FolderOptions, type FolderRules } from '../folder/index.ts';
import { reader, type StoredFile } from './files.ts';
import { infoOf, listing } from './info.ts';
import { planCopy, whyNotCopied } from './plan.ts';
import { snapshotInSteps, snapshotOf, type PlacedRow, type Snapshot } from './rows.ts';

const RULES: FolderRules<StoredFile, PlacedRow, Snapshot> = {
  reader,
  snapshotOf: ({ files }) => snapshotInSteps(files),
  info: infoOf,
  ...listing,
  plan: async (request, basis) => {
    if (request.kind !== 'delete') return planCopy(request, basis);
    const latestWithout = (removed: ReadonlySet<StoredFile>, task: string) =>
      snapshotOf(basis.snapshot.files.filter((file) => !removed.has(file))).tasks.get(task)?.latest ?? {
        basis: 'none',
      };
    return planDelete(request, basis, { resumer: 'program', latestWithout });
  },
};

/** A folder of strings of the OpenAI Agents SDK. Reading never writes; changes are plans of file ops. */
export class OpenAIAgentsSource extends FolderSource<StoredFile, PlacedRow, Snapshot> {
  /** @throws InspectorError not_found | unreadable */
  static open(options: FolderOptions): Promise<OpenAIAgentsSource> {
    return new OpenAIAgentsSource(options, RULES).opened();
  }

  /** What the SDK would refuse to load isn't copied. */
  async capability(ref: CheckpointRef, options?: CallOptions): Promise<RowCapabilities> {
    const facts = findRow(await this.snapshot(options), ref)?.file.facts;
    const kinds = facts ? (['restore', 'fork', 'edit'] as const) : [];
    const refused = kinds.map((kind) => [kind, facts && whyNotCopied(facts, kind)] as const);
    return Object.fromEntries(refused.filter(([, why]) => why !== undefined));
  }
}
