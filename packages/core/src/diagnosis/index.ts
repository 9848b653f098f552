export { conclude, concluding, statedFailure, suspectsOf, type Conclusion } from './diagnose.ts';
export { Examination } from './examination.ts';
export type { StatedFailure } from './failure.ts';
export type { DiagnosedStep, DiagnosisHints, Suspect } from './types.ts';
