export { cutOffChange } from './cut-off.ts';
export { describeExecutor, type ExecutorPlace, type ExecutorSuite } from './describe-executor.ts';
export { locksOn } from './locks.ts';
export { slowEngine, slowJob, slowPlaces, type SlowOptions, type SlowStepName } from './slow-engine.ts';
export { describeWithOwnPostgres, describeWithPostgres } from './describe-postgres.ts';
export type { OwnServer } from './postgres-server.ts';
export { postgresForTests, type TestPool, type TestPostgres } from './postgres.ts';
export { poolerForTests, type TestPooler } from './pooler.ts';
