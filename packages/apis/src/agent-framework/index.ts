export { generateCheckpointId } from '@checkpoint-inspector/systems/agent-framework';
export {
  compareGraphs,
  computeGraphSignature,
  isGraphDescription,
  type GraphDescription,
  type GraphDifference,
  type GraphEdge,
  type GraphExecutor,
} from '@checkpoint-inspector/systems/agent-framework';
export * from './create.ts';
export * from './errors.ts';
export * from './file.ts';
export * from './redis.ts';
export * from './serialize.ts';
export * from './storage.ts';
export * from './types.ts';
