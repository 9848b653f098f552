export * from './model.ts';
export * from './ids.ts';
export * from './errors.ts';
export * from './contract.ts';
export * from './change/index.ts';
export * from './hash.ts';
export * from './page.ts';
export * from './signal.ts';
export * from './target.ts';
export { nearest } from './nearest.ts';
export * from './json/index.ts';
export * from './diff/index.ts';
export * from './edit/index.ts';
export * from './tree/index.ts';
export * from './history/index.ts';
export * from './retention/index.ts';
export * from './secrets/index.ts';
export * from './failures/index.ts';
export * from './usage/index.ts';
export * from './verify/index.ts';
export * from './memory.ts';
export * from './manager.ts';
export { keptPerTask } from './manager/config.ts';
export {
  type Placed as PlacedRow,
  toLineage as rowToLineage,
  toMeta as rowToMeta,
  toPlanRow as rowToPlanRow,
  toRow as checkpointToRow,
} from './native/row.ts';
export type { TableRow } from './native/tables.ts';
