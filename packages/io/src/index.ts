export * from './files/index.ts';
export * from './sqlite/index.ts';
export * from './execute/index.ts';
