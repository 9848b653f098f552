/** What page, command, REST and MCP all ask: they are faces on it, so they cannot disagree. */
import { compact, type CheckpointSource, type StoreId } from '@checkpoint-inspector/core';
import { createChangeService } from '@checkpoint-inspector/changes';
import type { AgentRecords, Annotations, ChangeService, Journal, ProposalRecords } from '@checkpoint-inspector/changes';
import { createSearch, type SearchService } from '@checkpoint-inspector/search';
import { createAnnotationService, type AnnotationService } from './annotations.ts';
import { createDropped, type Dropped } from './dropped.ts';
import { createExplanations, type Explanations } from './explain/service.ts';
import { createFailures, type Failures } from './failures/service.ts';
import { createLargeStates, type LargeStates } from './large-states/service.ts';
import { createMasking, type Masking } from './sharing.ts';
import { createMeter, measured, type Meter } from './metrics/meter.ts';
import { createLanes, type Lanes } from './stores/lanes.ts';
import { createProposals, type Proposals } from './proposals/service.ts';
import { createSaveKind } from './agents/proposed.ts';
import { createAgents, type Agents } from './agents/service.ts';
import { createSummaries, type Summaries } from './stores/summaries.ts';
import { createTrees, type Trees } from './stores/trees.ts';
import type { StoreService } from './stores/types.ts';

export interface Inspector {
  /** What agents may do over MCP, and what they did. */
  readonly agents: Agents;
  readonly stores: StoreService;
  readonly changes: ChangeService;
  readonly annotations: AnnotationService;
  readonly explanations: Explanations;
  /** Bundles that are sent. */
  readonly dropped: Dropped;
  readonly failures: Failures;
  readonly largeStates: LargeStates;
  readonly masking: Masking;
  readonly meter: Meter;
  /** What agents would like changed, until a person decides. */
  readonly proposals: Proposals;
  /** Indexes nothing until it is asked or started. */
  readonly search: SearchService;
  readonly summaries: Summaries;
  readonly trees: Trees;
  readonly lanes: Lanes;
  /** Closes the stores and all that reads them; the journal stays the caller's. */
  close(): Promise<void>;
}

export interface InspectorDeps {
  readonly stores: StoreService;
  readonly changes: ChangeService;
  readonly readOnly: boolean;
  /** Where it is kept what agents may do and did; without it they save nothing. */
  readonly agents?: AgentRecords | undefined;
  /** Default: with a key and rules of its own, kept in memory. */
  readonly masking?: Masking;
  /** Where labels and notes are kept; without it there are none. */
  readonly annotations?: Annotations | undefined;
  /** Where proposals are kept; without it nothing can be proposed. */
  readonly proposals?: ProposalRecords | undefined;
  /** Folder of the search index; default: it is kept in memory. */
  readonly searchFolder?: string | undefined;
  /** Entry of the thread that has the search index; default: this thread has it. */
  readonly searchWorker?: URL | undefined;
  /** Entry of the thread that reads large states; default: they are read in this thread. */
  readonly worker?: URL | undefined;
  /** Default: of its own, with `worker`. */
  readonly largeStates?: LargeStates;
  /** How long errors, inbox and usage wait to be whole, in milliseconds; default: what a page waits. */
  readonly waitMs?: number | undefined;
}

/**
 * Reads and writes nothing before it is asked.
 * @example
 * const stores = storesOver(journal, { registry: defaultRegistry() });
 * const inspector = createInspector(overJournal(journal, { stores, readOnly }));
 * await stores.open('./checkpoints.sqlite');
 */
export function createInspector(deps: InspectorDeps): Inspector {
  const { stores, agents, annotations, readOnly, searchFolder, searchWorker, worker } = deps;
  const meter = createMeter();
  const changes = measured(deps.changes, meter);
  const unwatch = changes.onChange(({ store, task }) => stores.touch(store, task));
  const search = createSearch({ stores, ...compact({ folder: searchFolder, worker: searchWorker }) });
  const largeStates = deps.largeStates ?? createLargeStates({ stores, ...compact({ worker }) });
  const explanations = createExplanations({ stores, largeStates });
  const failures = createFailures(stores, deps.waitMs);
  const trees = createTrees(stores);
  const summaries = createSummaries();
  const save = createSaveKind({ stores, changes, records: agents, proposals: deps.proposals });
  const proposals = createProposals({ changes, records: deps.proposals, stores, readOnly, save });
  return {
    stores,
    changes,
    annotations: createAnnotationService({ stores, annotations, readOnly }),
    explanations,
    dropped: createDropped(stores),
    failures,
    largeStates,
    masking: deps.masking ?? createMasking({ readOnly }),
    meter,
    proposals,
    agents: createAgents({ stores, changes, proposals, records: agents, readOnly }),
    search,
    summaries,
    trees,
    lanes: createLanes(stores, trees, { summaries }),
    async close() {
      unwatch();
      failures.close();
      await search.close();
      await largeStates.close();
      await stores.closeAll();
    },
  };
}

/** What an inspector makes undoable in a journal, and the words that it keeps there. */
export function overJournal(
  journal: Journal,
  {
    stores,
    readOnly,
    worker,
    masking = createMasking({ journal, readOnly }),
  }: Pick<InspectorDeps, 'stores' | 'readOnly' | 'worker' | 'masking'>,
): Pick<
  InspectorDeps,
  'stores' | 'readOnly' | 'changes' | 'agents' | 'annotations' | 'proposals' | 'largeStates' | 'masking'
> {
  const largeStates = createLargeStates({ stores, ...compact({ worker }) });
  const sources = (store: StoreId): CheckpointSource => largeStates.planning(stores.source(store));
  const open = (): StoreId[] => stores.list().map(({ id }) => id);
  const changes = createChangeService({ journal, sources, open, readOnly });
  const { agents, annotations, proposals } = journal;
  return { stores, readOnly, changes, agents, annotations, proposals, largeStates, masking };
}
