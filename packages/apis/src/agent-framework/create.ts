import { IncompatibleCheckpointError } from './errors.ts';
import {
  compareGraphs,
  computeGraphSignature,
  generateCheckpointId,
  isGraphDescription,
  type GraphDescription,
  type GraphDifference,
} from '@checkpoint-inspector/systems/agent-framework';
import type { CreateCheckpointOptions, ExecutionContext, ExecutorState, WorkflowCheckpoint } from './types.ts';

/**
 * A checkpoint of the workflow as it is now. The values are not copied: save it before the workflow continues.
 * @example
 * const checkpoint = createCheckpoint('flow', 'run-1', computeGraphSignature(graph), executorStates, context, {
 *   metadata: { graph },
 * });
 */
export function createCheckpoint(
  workflowId: string,
  executionId: string,
  graphSignatureHash: string,
  executorStates: ReadonlyMap<string, ExecutorState>,
  executionContext: ExecutionContext,
  options: CreateCheckpointOptions = {},
): WorkflowCheckpoint {
  const threadState = executionContext.thread?.serialize();
  return {
    checkpointId: options.checkpointId ?? generateCheckpointId(),
    workflowId,
    executionId,
    timestamp: new Date(),
    graphSignatureHash,
    executorStates: Object.fromEntries(executorStates),
    pendingMessages: [...(options.pendingMessages ?? [])],
    sharedState: Object.fromEntries(executionContext.sharedState),
    executionContext: {
      workflowId: executionContext.workflowId,
      executionId: executionContext.executionId,
      ...(threadState === undefined ? {} : { threadState }),
      sharedState: Object.fromEntries(executionContext.sharedState),
      executorOutputs: Object.fromEntries(executionContext.executorOutputs),
    },
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  };
}

/**
 * True if the checkpoint was made with this graph.
 * @example if (!validateCheckpointCompatibility(checkpoint, computeGraphSignature(graph))) startAfresh();
 */
export function validateCheckpointCompatibility(
  checkpoint: WorkflowCheckpoint,
  currentGraphSignature: string,
): boolean {
  return checkpoint.graphSignatureHash === currentGraphSignature;
}

/**
 * Refuses a checkpoint that was made with another graph, and names the executors that differ where the checkpoint
 * keeps its graph in `metadata.graph`.
 * @throws IncompatibleCheckpointError
 * @example assertCheckpointCompatible(checkpoint, graph);
 */
export function assertCheckpointCompatible(checkpoint: WorkflowCheckpoint, graph: GraphDescription): void {
  if (validateCheckpointCompatibility(checkpoint, computeGraphSignature(graph))) return;
  const saved = checkpoint.metadata?.['graph'];
  const difference = isGraphDescription(saved) ? compareGraphs(saved, graph) : undefined;
  throw new IncompatibleCheckpointError(
    `Checkpoint "${checkpoint.checkpointId}" was made with a different graph. ${inWords(difference)}`,
    { checkpointId: checkpoint.checkpointId, ...difference },
  );
}

/**
 * The executors by which two checkpoints of one workflow differ; all lists are empty where the signatures are equal,
 * `undefined` where they differ and one of the checkpoints does not keep its graph in `metadata.graph`.
 * @example const difference = compareCheckpointGraphs(older, newer);
 */
export function compareCheckpointGraphs(
  before: WorkflowCheckpoint,
  after: WorkflowCheckpoint,
): GraphDifference | undefined {
  if (before.graphSignatureHash === after.graphSignatureHash) return { added: [], removed: [], changed: [] };
  const [old, now] = [before.metadata?.['graph'], after.metadata?.['graph']];
  return isGraphDescription(old) && isGraphDescription(now) ? compareGraphs(old, now) : undefined;
}

function inWords(difference: GraphDifference | undefined): string {
  if (!difference) return 'The differing executors were not recorded.';
  const named = Object.entries(difference).filter(([, ids]) => ids.length > 0);
  return `Executors ${named.map(([words, ids]) => `${words}: ${ids.join(', ')}`).join('; ')}.`;
}
