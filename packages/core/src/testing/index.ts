export { applyRows } from './applyRows.ts';
export { allPages, checkpoint, collect, lineageRow, refOf } from './builders.ts';
export { describeSource, type SourceSuite } from './describeSource.ts';
export { describeStore, type StoreSuite } from './describeStore.ts';
export { describeSystem, type SystemSuite } from './describeSystem.ts';
export { allCheckpoints, allTasks, contentOf, contents, everyCheckpoint } from './listing.ts';
export type { Opened, Skip } from './run.ts';
export type { OpenedStore } from './storeContext.ts';
export type { OpenedSystem, SourceFacts, TaskFacts } from './systemContext.ts';
