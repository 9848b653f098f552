/** What a tool is: its words and schemas, and what it may ask. A tool has no logic of its own: the inspector answers. */
import type { Masker, StoreId } from '@checkpoint-inspector/core';
import type { AgentSession, Inspector, Operation, Proposer } from '@checkpoint-inspector/inspector';
import { ToolSchema, type CallToolResult, type Tool, type ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from '@hono/zod-openapi';
import { invalidInput } from '../lib/invalid.ts';
import { answer } from './answer.ts';

/** What every call of a session shares. */
export interface ToolDeps {
  readonly inspector: Inspector;
  readonly readOnly: boolean;
  /** Secrets of known shapes are returned as stored; default: masked, as on the screen. */
  readonly reveal: boolean;
  /** Who the client says it is. */
  readonly client: () => Proposer | undefined;
  /** What it may do, and where it is noted what it did. */
  readonly agent: AgentSession;
  /** Makes a page reachable for a person; without it nothing can be proposed. */
  readonly page?: ShowPage | undefined;
}

/** Serves the page at a path of the app. `isOpened`: the person's browser shows it now. */
export type ShowPage = (path: string) => Promise<{ readonly link: string; readonly isOpened?: boolean }>;

/** One call. */
export interface ToolCall extends ToolDeps {
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal;
  /** Told which task an argument names. */
  readonly visited: (store: StoreId, task: string) => void;
  /** Masks what is cut before it is cut: half a secret has no shape. */
  readonly masker: Masker;
}

export interface McpTool {
  /** What a failure counts as in the metrics. */
  readonly operation: Operation;
  readonly tool: Tool;
  /** What it counts as among what the client did; default: `read`. */
  readonly act?: 'propose' | 'save';
  /** It leads to changes, so it does not exist under `--read-only`. */
  readonly writes?: true;
  /** Whether it can succeed now; default: always. */
  readonly isOffered?: (deps: ToolDeps) => boolean;
  /** @throws InspectorError */
  run(call: ToolCall, input: unknown): Promise<CallToolResult>;
}

/** Members of an answer; `value` is JSON text that is returned as it is. */
export interface Told<Members> {
  readonly members: Members;
  readonly cursor?: string | undefined;
  readonly value?: string | undefined;
}

interface Definition<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject<Input, z.core.$strict>;
  readonly output: z.ZodObject<Output>;
  readonly operation?: Operation;
  readonly annotations?: ToolAnnotations;
  readonly act?: 'propose';
  readonly writes?: true;
  readonly isOffered?: (deps: ToolDeps) => boolean;
  run(call: ToolCall, input: z.output<z.ZodObject<Input, z.core.$strict>>): Promise<Told<z.input<z.ZodObject<Output>>>>;
}

export const READS = { readOnlyHint: true, openWorldHint: false } as const;

/** Before the members of every answer. */
const HEAD = {
  notice: z.string().describe('How to take this data'),
  masked: z.number().optional().describe('Secrets that were masked in this answer'),
  revealed: z.number().optional().describe('Secrets in this answer, unmasked'),
};

/**
 * A tool with structured answers. Its schemas are the ones that its input is checked with and its clients are given.
 * @example structuredTool({ name: 'stores', title: 'List stores', description: '…', input, output, run: async () => … })
 */
export function structuredTool<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  definition: Definition<Input, Output>,
): McpTool {
  const { name, title, description, input, output, operation = 'list', annotations = READS } = definition;
  return {
    operation,
    ...(definition.isOffered ? { isOffered: definition.isOffered } : {}),
    ...(definition.writes ? { writes: definition.writes } : {}),
    ...(definition.act ? { act: definition.act } : {}),
    tool: {
      name,
      title,
      description,
      inputSchema: objectSchema(input),
      outputSchema: objectSchema(output.extend(HEAD)),
      annotations: { title, ...annotations },
    },
    async run(call, given) {
      const { members, cursor, value } = await definition.run(call, parse(input, given));
      return answer(members, { ...call, cursor, value, isStructured: true });
    },
  };
}

/** @throws InspectorError invalid_input */
export function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error, 'argument', input ?? {});
}

function objectSchema(schema: z.ZodObject): Tool['inputSchema'] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return ToolSchema.shape.inputSchema.parse(rest);
}
