/** Checkpoints as resources: `checkpoint://store/task/id` is the state as JSON text. */
import { compact, InspectorError, type Masker } from '@checkpoint-inspector/core';
import { stateOf, type Inspector } from '@checkpoint-inspector/inspector';
import {
  ErrorCode,
  McpError,
  type ListResourcesResult,
  type ReadResourceResult,
  type ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import { checkStateSize, UNTRUSTED } from './answer.ts';
import { addressOf, checkpointAt } from './places.ts';
import type { ToolCall } from './tool.ts';

const SCHEME = 'checkpoint://';
const JSON_TYPE = 'application/json';
const LISTED = 50;
/** What the protocol answers for a resource that isn't there. */
const NOT_FOUND = -32002;

export const RESOURCE_TEMPLATES: ResourceTemplate[] = [
  {
    uriTemplate: `${SCHEME}{store}/{task}/{id}`,
    name: 'checkpoint',
    title: 'State of a checkpoint',
    description: 'JSON text as stored, secrets masked. With a namespace: store/task/namespace/id',
    mimeType: JSON_TYPE,
  },
];

/** The latest checkpoint of each task, failed ones first. @throws McpError (the cursor) */
export async function listResources(
  { stores }: Inspector,
  masker: Masker,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const page = await stores.tasks({ limit: LISTED, ...compact({ cursor }) }).catch(refused);
  const resources = page.items.flatMap(({ store, id: task, latestId: id, latestNamespace: namespace, status }) => {
    if (id === undefined) return [];
    const uri = SCHEME + masker.text(addressOf(store, { task, id, ...compact({ namespace }) }));
    return [
      { uri, name: `${masker.text(task)}: latest`, description: `Latest checkpoint, ${status}`, mimeType: JSON_TYPE },
    ];
  });
  return { resources, ...(page.cursor === undefined ? {} : { nextCursor: page.cursor }) };
}

/** What a client sent is its own mistake, and not that of the server. */
function refused(error: unknown): never {
  const { code, message, remedy } = InspectorError.from(error);
  throw code === 'invalid_input' ? new McpError(ErrorCode.InvalidParams, `${message} ${remedy}`) : error;
}

/** @throws McpError */
export async function readResource(call: ToolCall, uri: string): Promise<ReadResourceResult> {
  try {
    if (!uri.startsWith(SCHEME)) throw new InspectorError('not_found', `Resources begin with ${SCHEME}.`);
    const { source, ref } = await checkpointAt(call, uri.slice(SCHEME.length));
    const { text } = await stateOf(source, ref);
    checkStateSize(text);
    return {
      contents: [{ uri: call.masker.text(uri), mimeType: JSON_TYPE, text: call.masker.json(text), _meta: UNTRUSTED }],
    };
  } catch (error) {
    const { code, message, remedy } = InspectorError.from(error);
    const words = call.masker.text(`${message} ${remedy}`);
    throw new McpError(code === 'not_found' ? NOT_FOUND : ErrorCode.InvalidParams, words);
  }
}
