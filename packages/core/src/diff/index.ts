export type { Diff, Difference, DiffOptions, DiffSummary, WordChange } from './types.ts';
export { diffEntries, diffJson, type EntriesDiff } from './diff.ts';
export { diffGrown, type GrownStates } from './grown.ts';
export { applyDifferences } from './apply.ts';
export { summaryLine } from './summary.ts';
export { leafStart } from './noise.ts';
export { foldedLine, rankDiff, type FoldedDifference, type RankedDiff } from './rank.ts';
export { type ChangeRole, ChangeRoles, patternOf } from './roles.ts';
export { wordDiff } from './words.ts';
