import { nodesOf } from '../edit/walk.ts';
import { patchJson, parseJson, type JsonNode, type Path } from '../json/index.ts';

export interface EditedText {
  readonly text: string;
  /** The value that was changed; absent where the state contains none that every system takes another value for. */
  readonly path?: Path;
  /** What is there now, as JSON text. */
  readonly value?: string;
}

/** Keys that name, order or type what they are in. */
const FIXED = /^(?:id|lc|type|name|role|v|currentStepIndex|phase|version|__.*|.*_id|.*Id|.*_hash|.*timestamp.*)$/i;

/** A state with one value changed: its last number, else a truth value, else a text. */
export function editedText(text: string): EditedText {
  const free = [...nodesOf(parseJson(text))]
    .map(({ node, path }) => ({ node, path: path() }))
    .filter(({ path }) => path.length > 0 && !path.some((step) => typeof step === 'string' && FIXED.test(step)));
  for (const kind of ['number', 'boolean', 'string'] as const) {
    const last = free.findLast(({ node }) => node.kind === kind);
    if (!last) continue;
    const value = otherValue(text, last.node);
    return { text: patchJson(text, [{ path: last.path, text: value }]), path: last.path, value };
  }
  return { text: `${text} ` };
}

function otherValue(text: string, node: JsonNode): string {
  if (node.kind === 'number') return '4242';
  if (node.kind === 'boolean') return text[node.start] === 't' ? 'false' : 'true';
  return '"edited"';
}
