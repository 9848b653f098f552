import {
  FileCheckpointStorage,
  computeGraphSignature,
  createCheckpoint,
} from '@checkpoint-inspector/apis/agent-framework';
import type { ExecutorState, GraphDescription, PendingMessage } from '@checkpoint-inspector/apis/agent-framework';

const READER = { id: 'reader', type: 'InvoiceReader' };
const CHECKER = { id: 'checker', type: 'PolicyChecker' };
const APPROVER = { id: 'approver', type: 'HumanApproval' };
const POSTER = { id: 'poster', type: 'LedgerPoster' };

/** The graph that the run began with. */
const BEFORE: GraphDescription = {
  startExecutorId: 'reader',
  executors: [READER, CHECKER, APPROVER],
  edges: [
    { sourceId: 'reader', targetId: 'checker' },
    { sourceId: 'checker', targetId: 'approver' },
  ],
};

/** The graph since the deploy: a new executor, and a checker of another type. */
const DEPLOYED: GraphDescription = {
  startExecutorId: 'reader',
  executors: [READER, { id: 'checker', type: 'PolicyCheckerV2' }, POSTER, APPROVER],
  edges: [
    { sourceId: 'reader', targetId: 'checker' },
    { sourceId: 'checker', targetId: 'poster' },
    { sourceId: 'poster', targetId: 'approver' },
  ],
};

const INVOICE = { number: 'INV-2211', supplier: 'Northwind', total: 18_400, currency: 'EUR' };

interface Step {
  readonly executorId: string;
  readonly graph: GraphDescription;
  readonly minutesAgo: number;
  readonly output?: unknown;
  readonly waiting?: PendingMessage;
  readonly error?: ExecutorState['error'];
}

/** A workflow that was deployed again on its way, failed once at the ledger, and waits for a person. */
export async function seedAgentFramework(folder: string, now: Date): Promise<void> {
  const storage = new FileCheckpointStorage(folder);
  const states = new Map<string, ExecutorState>();
  const outputs = new Map<string, unknown>();
  const minutesBefore = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  const save = async ({ executorId, graph, minutesAgo, output, waiting, error }: Step) => {
    const completed = waiting === undefined && error === undefined;
    states.set(executorId, { executorId, output, completed, ...(error === undefined ? {} : { error }) });
    if (error === undefined) outputs.set(executorId, output);
    const context = {
      workflowId: 'invoice-approval',
      executionId: 'run-7',
      sharedState: new Map([['invoice', INVOICE]]),
      executorOutputs: outputs,
    };
    const id = `invoice_${executorId}`;
    const checkpoint = createCheckpoint('invoice-approval', 'run-7', computeGraphSignature(graph), states, context, {
      checkpointId: id,
      pendingMessages: waiting === undefined ? [] : [waiting],
      metadata: { graph },
    });
    await storage.saveCheckpoint(id, { ...checkpoint, timestamp: minutesBefore(minutesAgo) });
  };
  await save({ executorId: 'reader', graph: BEFORE, minutesAgo: 44, output: { lines: 12 } });
  await save({ executorId: 'checker', graph: BEFORE, minutesAgo: 43, output: { overLimit: true, limit: 15_000 } });
  const error = { type: 'TimeoutError', message: 'API timeout after 20 s' };
  await save({ executorId: 'poster', graph: DEPLOYED, minutesAgo: 42.5, error });
  states.set('poster', { executorId: 'poster', output: { draft: 'L-881' }, completed: true });
  await save({
    executorId: 'approver',
    graph: DEPLOYED,
    minutesAgo: 42,
    waiting: {
      requestId: 'approve-2211',
      executorId: 'approver',
      data: { question: 'Approve 18,400 EUR for Northwind?' },
      timestamp: minutesBefore(42),
    },
  });
}
