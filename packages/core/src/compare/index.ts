export { alignSteps, stepName, type StepPair } from './align.ts';
export { compareChanges, tells, type ChangesCompared } from './changes.ts';
export { noDifference, sameRows, verdictWords, type Judged, type StepVerdict } from './words.ts';
