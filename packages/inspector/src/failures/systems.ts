/** What each system's view knows of a failed and of a waiting state. A view is loaded when it is needed. */
import { quoteJson, type CheckpointRef, type PendingRequest } from '@checkpoint-inspector/core';

export interface SystemView {
  errorOf?(text: string): string | undefined;
  requestsOf?(text: string): readonly PendingRequest[];
}

const VIEWS: Readonly<Record<string, () => Promise<SystemView>>> = {
  native: async () => ({ errorOf: (await import('@checkpoint-inspector/stores/view')).errorOf }),
  kaizen: () => import('@checkpoint-inspector/systems/kaizen/view'),
  'ctx-sys': async () => ({ errorOf: (await import('@checkpoint-inspector/systems/ctx-sys/view')).errorOf }),
  'agent-framework': () => import('@checkpoint-inspector/systems/agent-framework/view'),
  'rlm-act': async () => ({ errorOf: (await import('@checkpoint-inspector/systems/rlm-act/view')).errorOf }),
};

/** Where errors and questions are kept beside the state there is none. */
export async function viewOf(system: string): Promise<SystemView> {
  return (Object.hasOwn(VIEWS, system) ? await VIEWS[system]?.() : undefined) ?? {};
}

/**
 * The call of the owning system that answers a request and continues; absent where it is unknown. `…` stands for the
 * answer, which is the caller's to write.
 */
export function answerCall(
  system: string,
  at: CheckpointRef,
  requests: readonly PendingRequest[],
  text: string,
): string | undefined {
  const ids = requests.flatMap(({ id }) => id ?? []);
  if (system === 'langgraph') return langgraphCall(at.task, requests.length, ids);
  if (system === 'kaizen') return `await manager.resume_from_latest(${quoteJson(at.task)})`;
  // Only Python's documents have this member; its own call takes the answers by the id of their request.
  if (system === 'agent-framework' && text.includes('"pending_request_info_events"')) {
    return `await workflow.run(checkpoint_id=${quoteJson(at.id)}, responses={${ids.map((id) => `${quoteJson(id)}: …`).join(', ')}})`;
  }
  return undefined;
}

function langgraphCall(thread: string, count: number, ids: readonly string[]): string {
  const byId = count > 1 && ids.length === count;
  const resume = byId ? `{ ${ids.map((id) => `${quoteJson(id)}: …`).join(', ')} }` : '…';
  return `graph.invoke(new Command({ resume: ${resume} }), { configurable: { thread_id: ${quoteJson(thread)} } })`;
}
