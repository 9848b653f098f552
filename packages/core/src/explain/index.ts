export type * from './types.ts';
export {
  LastWriters,
  RunWrites,
  ValueTrace,
  wayBack,
  writtenError,
  type StepChanges,
  type ValueChange,
  type WriteAt,
} from './changes.ts';
export { Check } from './check.ts';
export { callsOf, messagesOf, originIn, tokenOf, type Called, type Said } from './conversation.ts';
export { kindOf, repeatedCall } from './kind.ts';
export { mentionsIn, type Mention } from './named.ts';
export { UnusualValues, type UnusualAt } from './unusual.ts';
export { failedCheck, type FailedCheck } from './failed-check.ts';
export { mayHaveChecks, outcomeOf } from './outcome.ts';
export * from './words.ts';
export { parseExpectation, type Expectation } from './expect.ts';
