export * from './document.ts';
export * from './listing.ts';
export * from './plan.ts';
export * from './rows.ts';
export * from './source.ts';
export * from './system.ts';
export * from './time.ts';
