export { atomicWrite, type AtomicWriteOptions, type FileStat } from './atomic-write.ts';
export { SaverTemps } from './leftovers.ts';
export { applyPlan, compareMarks, settleImages } from './apply.ts';
export type { Settled, Side } from './sides.ts';
export {
  decodeImage,
  decodeMark,
  encodeContent,
  encodeMark,
  type Applied,
  type ApplyHooks,
  type FailedStep,
  type FileImage,
  type FileMark,
  type Image,
  type Job,
  type Mark,
  type RowImage,
  type RowMark,
} from './images.ts';
export { assertRowFits, MAX_ROW_BYTES } from './row-size.ts';
export { undoJob } from './undo.ts';
