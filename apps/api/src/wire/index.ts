export * from './common.ts';
export * from './models.ts';
export * from './changes.ts';
