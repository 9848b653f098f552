export * from './plan.ts';
export * from './rows.ts';
export * from './rows.ts';
export * from './source.ts';
