import { FolderSource, planDelete, type FolderOptions, type FolderRules } from '../folder/index.ts';
import { dotnetReader, snapshotOfIndex } from './dotnet.ts';
import type { StoredFile } from './files.ts';
import { documentReader, snapshotOfDocuments, taskAfter } from './folder.ts';
import { infoOf } from './info.ts';
import { listing } from './meta.ts';
import { planCopy } from './plan-copy.ts';
import type { Layout, PlacedRow, Snapshot } from './rows.ts';

export interface AgentFrameworkOptions extends FolderOptions {
  readonly layout: Layout;
}

type Rules = FolderRules<StoredFile, PlacedRow, Snapshot>;

const RULES: Omit<Rules, 'reader' | 'snapshotOf'> = {
  info: infoOf,
  ...listing,
  plan: (request, basis) =>
    request.kind === 'delete'
      ? planDelete(request, basis, {
          resumer: 'workflow',
          latestWithout: async (removed, task) => {
            const kept = basis.snapshot.files.filter((file) => !removed.has(file));
            return (await taskAfter(kept, task)).latest;
          },
          orphans: (n, names) => `The previous checkpoint of ${n} (${names}) will be missing. Resuming still works.`,
        })
      : planCopy(request, basis),
};

const LAYOUTS: Readonly<Record<Layout, Rules>> = {
  documents: { ...RULES, reader: documentReader, snapshotOf: ({ files }) => snapshotOfDocuments(files) },
  dotnet: { ...RULES, reader: dotnetReader, snapshotOf: ({ files }) => snapshotOfIndex(files) },
};

/** A folder of Agent Framework checkpoints. Reading never writes; changes are plans of file ops. */
export class AgentFrameworkSource extends FolderSource<StoredFile, PlacedRow, Snapshot> {
  /** @throws InspectorError not_found | unreadable */
  static open(options: AgentFrameworkOptions): Promise<AgentFrameworkSource> {
    return new AgentFrameworkSource(options, LAYOUTS[options.layout]).opened();
  }
}
