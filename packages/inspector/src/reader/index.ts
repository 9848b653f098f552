export { createIsolation } from './isolated.ts';
export type { Isolate, IsolationOptions } from './isolated.ts';
