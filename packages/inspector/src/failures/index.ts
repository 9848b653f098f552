export { createTriage, type Covered, type Triage } from './service.ts';
export type { Waiting } from './findings.ts';
export type { Coverage, TaskQuery } from './task-index.ts';
export type { AgentUsage, TaskUsage, UsageAnswer } from './usage.ts';
