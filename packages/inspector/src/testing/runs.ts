/** For tests: runs of agents in stores of the real systems. */
export { storeCase } from '../diagnosis/testing/stored-case.ts';
export { talkOf } from '../diagnosis/testing/talk.ts';
export type { StoredCase, StoredSystem } from '../diagnosis/testing/types.ts';
