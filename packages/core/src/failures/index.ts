export { type FailedTask, type Failure, type FailureGroup, groupFailures } from './group.ts';
export { goodAncestors } from './lastGood.ts';
export { type NormalisedMessage, normaliseMessage } from './normalise.ts';
