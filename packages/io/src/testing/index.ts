export { describeExecutor, type ExecutorPlace, type ExecutorSuite } from './describe-executor.ts';
export { slowEngine, slowJob, slowPlaces, type SlowOptions } from './slow-engine.ts';
