/** Acts of the tree editor on the text: each changes the tokens it names and nothing else. */
import {
  applyDifferences,
  formatPath,
  parseJson,
  patchJson,
  setMember,
  sourceOf,
  valueAt,
  type JsonNode,
  type Path,
} from '@checkpoint-inspector/core';

/** @throws InspectorError unreadable, when `value` is no JSON */
export function withValue(text: string, path: Path, value: string): string {
  parseJson(value);
  return patchJson(text, [{ path, text: value.trim() }]);
}

/**
 * A new member of an object, or an item at the end of an array.
 * @throws InspectorError unreadable, when `value` is no JSON
 */
export function withNew(text: string, path: Path, key: string, value: string): string {
  parseJson(value);
  const at = valueAt(text, parseJson(text), path);
  if (at?.kind !== 'array') return setMember(text, path, key, value.trim());
  const item = formatPath([...path, at.items.length]);
  return applyDifferences(text, [{ path: item, kind: 'added', after: value.trim() }]);
}

export function without(text: string, path: Path, node: JsonNode): string {
  return applyDifferences(text, [{ path: formatPath(path), kind: 'removed', before: sourceOf(text, node) }]);
}
