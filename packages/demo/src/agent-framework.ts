import {
  FileCheckpointStorage,
  computeGraphSignature,
  createCheckpoint,
} from '@checkpoint-inspector/systems/agent-framework';
import type { ExecutorState, GraphDescription, PendingMessage } from '@checkpoint-inspector/systems/agent-framework';

const GRAPH: GraphDescription = {
  startExecutorId: 'reader',
  executors: [
    { id: 'reader', type: 'InvoiceReader' },
    { id: 'checker', type: 'PolicyChecker' },
    { id: 'approver', type: 'HumanApproval' },
  ],
  edges: [
    { sourceId: 'reader', targetId: 'checker' },
    { sourceId: 'checker', targetId: 'approver' },
  ],
};

const INVOICE = { number: 'INV-2211', supplier: 'Northwind', total: 18_400, currency: 'EUR' };

/** A workflow that waits for a person to approve an invoice. */
export async function seedAgentFramework(folder: string, now: Date): Promise<void> {
  const storage = new FileCheckpointStorage(folder);
  const states = new Map<string, ExecutorState>();
  const outputs = new Map<string, unknown>();
  const save = async (executorId: string, output: unknown, minutesAgo: number, waiting: PendingMessage[] = []) => {
    states.set(executorId, { executorId, output, completed: waiting.length === 0 });
    outputs.set(executorId, output);
    const context = {
      workflowId: 'invoice-approval',
      executionId: 'run-7',
      sharedState: new Map([['invoice', INVOICE]]),
      executorOutputs: outputs,
    };
    const id = `invoice_${executorId}`;
    const checkpoint = createCheckpoint('invoice-approval', 'run-7', computeGraphSignature(GRAPH), states, context, {
      checkpointId: id,
      pendingMessages: waiting,
      metadata: { graph: GRAPH },
    });
    await storage.saveCheckpoint(id, { ...checkpoint, timestamp: new Date(now.getTime() - minutesAgo * 60_000) });
  };
  await save('reader', { lines: 12 }, 44);
  await save('checker', { overLimit: true, limit: 15_000 }, 43);
  const timestamp = new Date(now.getTime() - 42 * 60_000);
  await save('approver', undefined, 42, [
    {
      requestId: 'approve-2211',
      executorId: 'approver',
      data: { question: 'Approve 18,400 EUR for Northwind?' },
      timestamp,
    },
  ]);
}
