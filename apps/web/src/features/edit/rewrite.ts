/** From a text that was laid out for editing back to the layout of the stored one. */
import {
  applyDifferences,
  diffJson,
  InspectorError,
  type JsonEdit,
  type JsonMember,
  type JsonNode,
  parseJson,
  patchJson,
  type Path,
  sourceOf,
} from '@checkpoint-inspector/core';

/**
 * The stored text with the changes of the typed one, so that what nobody touched keeps its bytes. A text that is not
 * JSON, or that puts keys in another order, is taken as it is typed.
 * @example rewritten('{"a":1.0,"b":2}', '{\n  "a": 1.0,\n  "b": 3\n}') // '{"a":1.0,"b":3}'
 */
export function rewritten(stored: string, typed: string): string {
  if (stored === typed) return stored;
  try {
    const wanted = minified(typed);
    if (minified(stored) === wanted) return stored;
    const edits = changedTokens(stored, parseJson(stored), typed, parseJson(typed), []);
    const made = edits ? patchJson(stored, edits) : applyDifferences(stored, diffJson(stored, typed).items);
    return minified(made) === wanted ? made : typed;
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    return typed;
  }
}

/** The scalars that differ; nothing where a container has got another size or another key. */
function changedTokens(a: string, from: JsonNode, b: string, to: JsonNode, path: Path): JsonEdit[] | undefined {
  const pairs = pairsOf(a, from, b, to);
  if (pairs === undefined) {
    const isScalar = !('members' in from) && !('items' in from) && !('members' in to) && !('items' in to);
    if (!isScalar) return undefined;
    return sourceOf(a, from) === sourceOf(b, to) ? [] : [{ path, text: sourceOf(b, to) }];
  }
  const edits: JsonEdit[] = [];
  for (const [step, one, other] of pairs) {
    const own = changedTokens(a, one, b, other, [...path, step]);
    if (own === undefined) return undefined;
    edits.push(...own);
  }
  return edits;
}

type Pair = readonly [step: string | number, one: JsonNode, other: JsonNode];

/** The children of two containers of the same form, each with its partner. */
function pairsOf(a: string, from: JsonNode, b: string, to: JsonNode): readonly Pair[] | undefined {
  if (from.kind === 'array' && to.kind === 'array' && from.items.length === to.items.length) {
    return from.items.flatMap((item, at): Pair[] => {
      const other = to.items[at];
      return other === undefined ? [] : [[at, item, other]];
    });
  }
  if (from.kind !== 'object' || to.kind !== 'object' || from.members.length !== to.members.length) return undefined;
  const pairs = from.members.flatMap((member, at): Pair[] => {
    const other = to.members[at];
    const isSame = other !== undefined && !member.duplicate && keyOf(a, member) === keyOf(b, other);
    return isSame ? [[member.key, member.value, other.value]] : [];
  });
  return pairs.length === from.members.length ? pairs : undefined;
}

const keyOf = (text: string, { keyStart, keyEnd }: JsonMember): string => text.slice(keyStart, keyEnd);

/** Every token as it is written, without the space between them. */
const minified = (text: string): string => tokensOf(text, parseJson(text));

function tokensOf(text: string, node: JsonNode): string {
  if (node.kind === 'array') return `[${node.items.map((item) => tokensOf(text, item)).join(',')}]`;
  if (node.kind !== 'object') return sourceOf(text, node);
  const members = node.members.map(
    ({ keyStart, keyEnd, value }) => `${text.slice(keyStart, keyEnd)}:${tokensOf(text, value)}`,
  );
  return `{${members.join(',')}}`;
}
