export { applyRows } from './apply-rows.ts';
export { allPages, checkpoint, collect, lineageRow, refOf } from './builders.ts';
export { describeSource, type SourceSuite } from './describe-source.ts';
export { describeStore, type StoreSuite } from './describe-store.ts';
export { describeSystem, type SystemSuite } from './describe-system.ts';
export { allCheckpoints, allTasks, contentOf, contents, everyCheckpoint } from './listing.ts';
export type { Opened, Skip } from './run.ts';
export type { OpenedStore } from './store-context.ts';
export type { OpenedSystem, SourceFacts, TaskFacts } from './system-context.ts';
