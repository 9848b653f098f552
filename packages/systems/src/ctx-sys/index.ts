export * from './api/index.ts';
export { insertCheckpoint } from './save.ts';
export { ctxSysSystem } from './system.ts';
