export { createChangeService } from './service.ts';
export { isDelete } from './types.ts';
export type { ChangeService, InterruptedChange, RecoveredIntent, TrashBin, TrashItem, TrashSummary } from './types.ts';
export { ownPlaceOf, placeOf, sourceOf, storedRevision } from './store.ts';
export type { Above, AgentActivity, AgentGrant, AgentRecords, TaskPlace } from './journal/agents.ts';
export { journalFolder } from './journal/schema.ts';
export { openJournal, openJournalWhenNeeded } from './journal/journal.ts';
export { assertLabel } from './journal/annotations.ts';
export { alreadyDecided, found as foundProposal } from './journal/proposals.ts';
export { withSidecar } from './journal/sidecar.ts';
export type {
  Annotation,
  Annotations,
  Journal,
  ProposalRecord,
  ProposalRecords,
  ProposedRequest,
  SaveRequest,
  SidecarEdge as ParentEdge,
  StorePlace,
} from './journal/types.ts';
