export * from './api/index.ts';
export { ctxSysSystem } from './system.ts';
