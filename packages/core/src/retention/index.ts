export type { RetentionPolicy } from './policy.ts';
export { ageOf, checkedPolicy, policyText } from './match.ts';
export { planRetention, type RetentionItem, type RetentionOptions, type RetentionPlan } from './plan.ts';
