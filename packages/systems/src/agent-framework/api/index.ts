export * from './create.ts';
export * from './errors.ts';
export * from './file.ts';
export * from './graph.ts';
export * from './redis.ts';
export * from './serialize.ts';
export * from './storage.ts';
export * from './types.ts';
