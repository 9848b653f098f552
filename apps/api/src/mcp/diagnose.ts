/** Why a session failed, for an agent that asks: small, read-only, masked as every answer. */
import { compact, type CheckpointRef } from '@checkpoint-inspector/core';
import { diagnose, type Diagnosis, type SentSuspect } from '@checkpoint-inspector/inspector';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from '@hono/zod-openapi';

export const diagnoseInput = z.strictObject({
  sessionId: z.string(),
  checkpointId: z.string().optional(),
  store: z.string().optional(),
});

export const DIAGNOSE_TOOL: Tool = {
  name: 'diagnose',
  description:
    'Explain why a session failed: the error, the failing step, the last good checkpoint, and the changes that most likely caused it. These are suggestions, not proof',
  inputSchema: {
    type: 'object',
    properties: {
      sessionId: { type: 'string' },
      checkpointId: { type: 'string', description: 'The end of the branch to examine; default: the latest' },
      store: { type: 'string', description: 'Id of an open store; required if several match the session' },
    },
    required: ['sessionId'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

const VALUE = 200;
const SUSPECTS = 3;
const GAPS = 10;

/** An agent pays for each character: three suspects, and of long values their length. */
export async function smallDiagnosis(
  source: Parameters<typeof diagnose>[0],
  { task, id, namespace }: CheckpointRef,
): Promise<Diagnosis> {
  const answer = await diagnose(source, { task, cp: id, ns: namespace ?? '' });
  const { examined } = answer;
  return {
    ...answer,
    suspects: answer.suspects.slice(0, SUSPECTS).map(small),
    examined: { ...examined, gaps: examined.gaps.slice(0, GAPS) },
  };
}

function small({ before, after, ...suspect }: SentSuspect): SentSuspect {
  return { ...suspect, ...side('before', before), ...side('after', after) };
}

/** Half a secret has no shape, so a long text is left out whole. */
function side(name: 'before' | 'after', text: string | undefined) {
  if (text === undefined) return {};
  return text.length <= VALUE ? { [name]: text } : compact({ [`${name}Length`]: text.length });
}
