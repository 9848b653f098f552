export * from './files/index.ts';
export * from './folder/folder-index.ts';
export * from './nodes/index.ts';
export * from './postgres/index.ts';
export * from './sqlite/index.ts';
export * from './engines/index.ts';
export { currentOwner, isAlive, type Owner } from './process-owner.ts';
export {
  goesWithProcess,
  makeScratch,
  outside,
  removeOutside,
  removeScratch,
  startScratch,
  type Outside,
} from './scratch.ts';
