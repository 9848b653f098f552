import { z } from '@hono/zod-openapi';
import { shortWords } from '../size.ts';
import type { ToolCall } from '../tool.ts';
import type { Coverage, StoreFailure } from '@checkpoint-inspector/inspector';

export const unavailableSchema = z.array(z.object({ store: z.string(), reason: z.string() })).optional();

/** How much of what was asked about an answer knows: without it, an empty list reads as an all-clear. */
export const coveredShape = {
  complete: z.boolean().describe('False while stores are being read: ask again'),
  unreadable: z.number().optional().describe("Checkpoints that can't be read, so nothing is known of them"),
  unavailable: unavailableSchema,
};

interface Covered {
  readonly coverage: Coverage;
  readonly failures: readonly StoreFailure[];
}

export function covered(call: ToolCall, { coverage, failures }: Covered) {
  return {
    complete: coverage.complete,
    ...(coverage.unreadable > 0 ? { unreadable: coverage.unreadable } : {}),
    ...unavailable(call, failures),
  };
}

export function unavailable(call: ToolCall, failures: readonly StoreFailure[]) {
  if (failures.length === 0) return {};
  return { unavailable: failures.map(({ store, error }) => ({ store, reason: shortWords(call, error.message) })) };
}
