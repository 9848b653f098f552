export { BIG_BYTES } from './limits.ts';
export { createBigStates, sizedOf } from './service.ts';
export type { BigStates, BigStatesOptions, Sized } from './service.ts';
export type { FindAnswer, PartAnswer } from './types.ts';
