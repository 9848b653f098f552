/** What each system's view knows of a failed and of a waiting state. A view is loaded when it is needed. */
import { quoteJson, type CheckpointRef, type PendingRequest } from '@checkpoint-inspector/core';

export interface SystemView {
  errorOf?(text: string): string | undefined;
  requestsOf?(text: string): readonly PendingRequest[];
  /** The call that answers, where it is told by the state. */
  answerOf?(text: string): string | undefined;
}

const VIEWS: Readonly<Record<string, () => Promise<SystemView>>> = {
  native: async () => ({ errorOf: (await import('@checkpoint-inspector/stores/view')).errorOf }),
  kaizen: () => import('@checkpoint-inspector/systems/kaizen/view'),
  'ctx-sys': async () => ({ errorOf: (await import('@checkpoint-inspector/systems/ctx-sys/view')).errorOf }),
  'agent-framework': () => import('@checkpoint-inspector/systems/agent-framework/view'),
  mastra: () => import('@checkpoint-inspector/systems/mastra/view'),
  'openai-agents': () => import('@checkpoint-inspector/systems/openai-agents/view'),
  voltagent: () => import('@checkpoint-inspector/systems/voltagent/view'),
  opencode: () => import('@checkpoint-inspector/systems/opencode/view'),
  'rlm-act': async () => ({ errorOf: (await import('@checkpoint-inspector/systems/rlm-act/view')).errorOf }),
  'claude-code': () => import('@checkpoint-inspector/systems/claude-code/view'),
  'gemini-cli': () => import('@checkpoint-inspector/systems/gemini-cli/view'),
};

/** Where errors and questions are kept beside the state there is none. */
export async function viewOf(system: string): Promise<SystemView> {
  return (Object.hasOwn(VIEWS, system) ? await VIEWS[system]?.() : undefined) ?? {};
}

/**
 * The call of the owning system that answers a request and continues; absent where it is unknown. `…` stands for the
 * answer, which is the caller's to write. `timeText` is the time of the checkpoint as stored.
 */
export function answerCall(
  system: string,
  at: CheckpointRef,
  requests: readonly PendingRequest[],
  text: string,
  timeText?: string,
): string | undefined {
  const ids = requests.flatMap(({ id }) => id ?? []);
  if (system === 'langgraph') {
    const call = timeText !== undefined && OFFSET.test(timeText) ? pythonCall : javascriptCall;
    return call(quoteJson(at.task), requests.length > 1 && ids.length === requests.length ? ids : []);
  }
  if (system === 'openai-agents')
    return 'for (const call of state.getInterruptions()) state.approve(call); await run(agent, state)';
  if (system === 'mastra') {
    const resumes = ids.map((id) => `await run.resume({ step: ${quoteJson(id)}, resumeData: … })`);
    return `const run = await workflow.createRun({ runId: ${quoteJson(at.task)} }); ${resumes.join('; ')}`;
  }
  if (system === 'voltagent') return `await registry.resumeSuspendedWorkflow(workflow.id, ${quoteJson(at.task)}, …)`;
  // Only Python's documents have this member; its own call takes the answers by the id of their request.
  if (system === 'agent-framework' && text.includes('"pending_request_info_events"')) {
    return `await workflow.run(checkpoint_id=${quoteJson(at.id)}, responses={${answers(ids)}})`;
  }
  return undefined;
}

/** LangGraph for Python stores its times with an offset, that for JavaScript with a Z. */
const OFFSET = /[+-]\d\d:\d\d$/;

/** Several questions are answered by their ids. */
function javascriptCall(thread: string, ids: readonly string[]): string {
  const resume = ids.length > 0 ? `{ ${answers(ids)} }` : '…';
  return `graph.invoke(new Command({ resume: ${resume} }), { configurable: { thread_id: ${thread} } })`;
}

function pythonCall(thread: string, ids: readonly string[]): string {
  const resume = ids.length > 0 ? `{${answers(ids)}}` : '…';
  return `graph.invoke(Command(resume=${resume}), {"configurable": {"thread_id": ${thread}}})`;
}

const answers = (ids: readonly string[]): string => ids.map((id) => `${quoteJson(id)}: …`).join(', ');
