export * from './files/index.ts';
export * from './folder/folder-index.ts';
export * from './nodes/index.ts';
export * from './postgres/index.ts';
export * from './sqlite/index.ts';
export * from './engines/index.ts';
