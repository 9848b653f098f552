export { fromWhereTheyDiffer } from './alike.ts';
export { branchTo, type BranchStep, type Divergence, divergence } from './branch.ts';
export { locate } from './locate.ts';
export { placeAfter } from './moved.ts';
export { StepsBetween, type StepsOfRow } from './steps.ts';
export type {
  EntriesChange,
  HistoryGap,
  HistoryKind,
  HistoryLine,
  HistoryPoint,
  HistoryRow,
  HistorySource,
  SentHistoryRow,
  StateValue,
} from './types.ts';
export { PathWalk } from './walk.ts';
