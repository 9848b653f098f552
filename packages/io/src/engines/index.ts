import { createExecutors } from './executor.ts';
import { filesEngine } from './files/index.ts';
import { memoryEngine } from './memory.ts';
import { postgresEngine } from './postgres/index.ts';
import { sqliteEngine } from './sqlite/index.ts';

/** The engines of this program; a new one is a line here. */
export const ENGINES = createExecutors([filesEngine, sqliteEngine, postgresEngine, memoryEngine]);

export { createExecutors, placeIdentity } from './executor.ts';
export type {
  Applied,
  ApplyHooks,
  Executor,
  Executors,
  FailedStep,
  Image,
  Settled,
  SettleHooks,
  Side,
} from './executor.ts';
export { atomicWrite, takeName, type AtomicWriteOptions, type FileStat } from './files/atomic-write.ts';
export { filesJob, type FilesJob } from './files/job.ts';
export { SaverTemps } from './files/leftovers.ts';
export { addNative, holdMs, postgresJob, sqliteJob, type RowsJob } from './rows/job.ts';
