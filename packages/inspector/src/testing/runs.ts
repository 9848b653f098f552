/** For tests: runs of agents in stores of the real systems. */
export { storeCase } from './stored-runs/index.ts';
export { talkOf } from './talk.ts';
export type { StoredCase, StoredSystem } from './stored-runs/types.ts';
