/** Values of a room's view as they stand in the state's text: a parsed number may have lost its spelling. */
import { sourceOf, stringOf, valueAt, type JsonNode, type Path } from '@checkpoint-inspector/core';

/** A question to a person, as a room reads it. */
export interface RoomRequest {
  readonly id: string;
  readonly executor?: string;
  readonly value: unknown;
  readonly type?: string;
  readonly sizeBytes?: number;
}

/** The arguments of a tool call. */
export function argsText(text: string, root: JsonNode, message: Path, place: number, args: unknown): string {
  if (typeof args === 'string') return args;
  const call = ['tool_calls', place, 'args'];
  const paths = [
    [...message, ...call],
    [...message, 'kwargs', ...call],
  ];
  return textAt(text, root, paths) ?? shown(args);
}

/** What is asked; a pickled question is named by type and size only. */
export function requestText(text: string, root: JsonNode, request: RoomRequest, place: number): string {
  const { id, value, type, sizeBytes } = request;
  if (type !== undefined) return `${type}, ${sizeBytes ?? '?'} bytes, not opened`;
  const paths: Path[] = [
    ['pending_request_info_events', id],
    ['pendingMessages', place, 'data'],
  ];
  return textAt(text, root, paths) ?? shown(value);
}

/** The result as it stands in the text, where results are kept beside the plan. */
export function outputOf(
  text: string,
  root: JsonNode,
  { id, output }: { readonly id?: string; readonly output?: string },
): { readonly output?: string } {
  if (output === undefined || id === undefined) return {};
  const results = valueAt(text, root, ['results']);
  const items = results?.kind === 'array' ? results.items : [];
  const own = items.findLast((item) => textAt(text, item, [['stepId']]) === id);
  const node = own && valueAt(text, own, ['output']);
  return node ? { output: sourceOf(text, node) } : {};
}

/** What stands at the first of these paths that is there. */
function textAt(text: string, root: JsonNode, paths: readonly Path[]): string | undefined {
  const node = paths.map((path) => valueAt(text, root, path)).find((found) => found !== undefined);
  if (node === undefined) return undefined;
  return node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);
}

/** For the eye only; big whole numbers keep their digits. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)) ?? '';
