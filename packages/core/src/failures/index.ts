export { type FailedTask, type Failure, type FailureGroup, groupFailures } from './group.ts';
export { goodAncestors } from './last-good.ts';
export { type NormalisedMessage, normaliseMessage } from './normalise.ts';
