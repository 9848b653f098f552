export * from './model.ts';
export * from './ids.ts';
export * from './errors.ts';
export * from './contract.ts';
export * from './system.ts';
export * from './change/index.ts';
export { compact, overlaid } from './compact.ts';
export { eachInSteps, mapInSteps, sortInSteps, toEnd, type InSteps } from './in-steps.ts';
export { createPause, paced, type Pause } from './pause.ts';
export * from './hash.ts';
export * from './page.ts';
export * from './signal.ts';
export * from './shell.ts';
export * from './target.ts';
export {
  asGiven,
  checkDiffOptions,
  checkEvicted,
  checkId,
  checkKeys,
  checkPageQuery,
  checkRef,
  checkSaveOptions,
  checkTaskQuery,
  checkWriteOptions,
  refusedEvictions,
} from './options.ts';
export { nearest } from './nearest.ts';
export * from './json/index.ts';
export * from './diff/index.ts';
export * from './edit/index.ts';
export * from './nodes/index.ts';
export * from './tree/index.ts';
export * from './history/index.ts';
export { ageOf, checkedPolicy, policyText, type RetentionPolicy } from './retention/match.ts';
export {
  planRetention,
  planRetentionInSteps,
  type RetentionItem,
  type RetentionOptions,
  type RetentionPlan,
} from './retention/plan.ts';
export { findSecretBytes, SECRET_CLASS, type ByteSpan } from './secrets/bytes.ts';
export { findSecrets, type MaskRules } from './secrets/find.ts';
export { findSecretsInJson } from './secrets/json.ts';
export { createMasker, MASK_DOTS, maskSecrets, type Masker, type MaskerOptions } from './secrets/masker.ts';
export type { SecretSpan } from './secrets/spans.ts';
export { boundedRules, PSEUDONYM_DIGITS } from './secrets/patterns.ts';
export * from './failures/group.ts';
export * from './failures/normalise.ts';
export * from './usage/usage.ts';
export * from './bundle/index.ts';
export * from './compare/index.ts';
export { GrowthTally, type EntryGrowth, type Growth } from './growth/growth.ts';
export * from './explain/index.ts';
export { messageIn, messageOrText, messagesIn, type ChatMessage } from './chat/messages.ts';
export type { ChatCall, ChatResult } from './chat/parts.ts';
export * from './verify/verify.ts';
export * from './uuid6.ts';
export * from './memory.ts';
export * from './manager.ts';
export { keptPerTask } from './manager/state.ts';
export {
  notJson,
  parentIn as rowParent,
  type Placed as PlacedRow,
  toFields as checkpointToFields,
  toLineage as rowToLineage,
  toMeta as rowToMeta,
  toPlanRow as rowToPlanRow,
  toRow as checkpointToRow,
} from './native/row.ts';
export { besideOf as besideOfWrites, toWrite as rowToWrite, toWriteRows as writesToRows } from './native/writes.ts';
export type { TableRow } from './native/tables.ts';
