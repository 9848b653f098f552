export * from './plan.ts';
export * from './read-stored.ts';
export * from './rows.ts';
export * from './source.ts';
