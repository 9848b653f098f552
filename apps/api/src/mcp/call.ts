/** Which tools there are, and one call of one of them. */
import { createRedactor } from '@checkpoint-inspector/inspector';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { publicError } from '../lib/http.ts';
import { failure } from './answer.ts';
import type { ToolDeps } from './tool.ts';
import { TOOLS } from './tools/index.ts';

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
  const found = existing(deps).find(({ tool }) => tool.name === name);
  if (found === undefined) return undefined;
  try {
    return await found.run({ ...deps, signal, redactor: createRedactor(deps.reveal) }, input);
  } catch (error) {
    deps.inspector.meter.failed(found.operation, publicError(error).code);
    return failure(error, deps.reveal);
  }
}
