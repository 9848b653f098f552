export { generateCheckpointId } from '../document.ts';
export {
  compareGraphs,
  computeGraphSignature,
  isGraphDescription,
  type GraphDescription,
  type GraphDifference,
  type GraphEdge,
  type GraphExecutor,
} from '../graph.ts';
export * from './create.ts';
export * from './errors.ts';
export * from './file.ts';
export * from './redis.ts';
export * from './serialize.ts';
export * from './storage.ts';
export * from './types.ts';
