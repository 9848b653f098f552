export * from './common.ts';
export * from './models.ts';
export * from './search.ts';
export * from './parts.ts';
export * from './failures.ts';
export * from './changes.ts';
export * from './storage.ts';
export * from './history.ts';
