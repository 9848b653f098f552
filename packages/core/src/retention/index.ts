export type { RetentionPolicy } from './policy.ts';
