/** Which tools there are, and one call of one of them. */
import { InspectorError, type StoreId } from '@checkpoint-inspector/core';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { publicError } from '../lib/http.ts';
import { failure } from './answer.ts';
import type { ToolCall, ToolDeps } from './tool.ts';
import { TOOLS } from './tools/index.ts';

/** Still answered, and not listed. */
const FORMER_NAMES: Readonly<Record<string, string>> = { diagnose: 'explain' };

const existing = ({ readOnly }: Pick<ToolDeps, 'readOnly'>) => TOOLS.filter(({ writes }) => !(readOnly && writes));

/** What can succeed now: nothing is saved where nothing may be written, or where no open store can be saved to. */
export function toolsFor(deps: ToolDeps): Tool[] {
  return existing(deps)
    .filter(({ isOffered }) => isOffered?.(deps) ?? true)
    .map(({ tool }) => tool);
}

/**
 * Runs one tool; its failures are results that name code and remedy. `undefined` for a name that does not exist.
 * A client that still knows a tool learns why it fails now, rather than that it doesn't exist.
 */
export async function callTool(
  deps: ToolDeps,
  name: string,
  input: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<CallToolResult | undefined> {
  const known = FORMER_NAMES[name] ?? name;
  const found = existing(deps).find(({ tool }) => tool.name === known);
  if (found === undefined) return undefined;
  try {
    return await noted(deps, { signal, act: found.act ?? 'read' }, (call) => found.run(call, input));
  } catch (error) {
    deps.inspector.meter.failed(found.operation, publicError(error).code);
    return failure(error, deps.inspector.masking.masker(deps));
  }
}

interface Act {
  readonly signal: AbortSignal;
  /** `save` is noted by the gate, which may make a proposal of it. */
  readonly act: 'read' | 'propose' | 'save';
}

/** One call within what the client may do, and noted: what was about no task is about all stores. */
export async function noted<T>(deps: ToolDeps, { signal, act }: Act, work: (call: ToolCall) => Promise<T>): Promise<T> {
  const { agent } = deps;
  const visited = new Map<string, { readonly store: StoreId; readonly task: string }>();
  const result = await work({
    ...deps,
    signal,
    masker: deps.inspector.masking.masker(deps),
    visited: (store, task) => {
      if (act === 'propose' && !agent.may('propose', { store, task })) throw notGranted();
      visited.set(JSON.stringify([store, task]), { store, task });
    },
  });
  if (act === 'save') return result;
  for (const target of visited.size === 0 ? [undefined] : visited.values()) agent.did(act, target);
  return result;
}

function notGranted(): InspectorError {
  return new InspectorError('unsupported', 'The grant of this client does not name this task for proposals.', {
    remedy: 'Ask the person who started the server to change or add a grant.',
  });
}
