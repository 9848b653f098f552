import type { PlanWarning } from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import { equalNodes } from '../json/equal.ts';
import { memberOf, sourceOf, type JsonNode } from '../json/node.ts';
import { formatPath } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { nodesOf } from './walk.ts';

/** The largest state that an edit may save, in bytes of UTF-8: rooms read no larger document. */
export const MAX_EDIT_BYTES = 32 * 1024 * 1024;

export interface EditRules {
  /** The system whose own reader takes no NaN and no Infinity. */
  readonly strictFor?: string;
}

/**
 * The text of an edit, checked: JSON that every byte of can be stored.
 * @throws InspectorError invalid_input with data `{ offset, line, column }` (offset in UTF-16 code units, the others
 * from 1) | too_large
 */
export function readEdit(text: string, rules: EditRules = {}): JsonNode {
  const bytes = utf8Length(text);
  if (bytes > MAX_EDIT_BYTES) {
    const size = (bytes / 1024 / 1024).toFixed(1);
    throw new InspectorError('too_large', `The edited text is ${size} MiB; the limit is 32 MiB.`, {
      data: { bytes, limit: MAX_EDIT_BYTES },
      remedy: 'Make the text smaller, or let the agent save the new state.',
    });
  }
  const root = parsed(text);
  if (!text.isWellFormed())
    throw refused(text, loneSurrogate(text), 'half of a surrogate pair, which cannot be saved in a file');
  const odd = rules.strictFor === undefined ? undefined : firstNonFinite(text, root);
  if (odd) throw refused(text, odd.start, `${sourceOf(text, odd)}, which ${rules.strictFor} cannot read`);
  return root;
}

/** Line and column of an offset, both from 1; the column counts UTF-16 code units. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n?|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/**
 * What a person should know of an edit that is valid: it changes nothing, says a key twice, or names what the save
 * sets itself.
 * @param setBySave top-level members that the save replaces, such as the id and the time
 */
export function editWarnings(before: string, after: string, setBySave: readonly string[] = []): PlanWarning[] {
  const [old, root] = [parseJson(before), parseJson(after)];
  const warnings: PlanWarning[] = [];
  if (equalNodes(before, old, after, root)) {
    warnings.push({
      code: 'unchanged',
      message: 'The text means the same as the original, so the copy will not differ.',
    });
  }
  const twice = firstDuplicate(root);
  if (twice !== undefined && firstDuplicate(old) === undefined) {
    warnings.push({ code: 'duplicate_key', message: `${twice} appears twice in the text; the last one counts.` });
  }
  const replaced = setBySave.filter((key) => !sameMember(before, old, after, root, key));
  if (replaced.length > 0) {
    const message = `Saving sets ${replaced.join(', ')}, so your values there will be replaced.`;
    warnings.push({ code: 'set_by_save', message });
  }
  return warnings;
}

function sameMember(before: string, old: JsonNode, after: string, root: JsonNode, key: string): boolean {
  if (old.kind !== 'object' || root.kind !== 'object') return true;
  const [was, is] = [memberOf(old, key)?.value, memberOf(root, key)?.value];
  return was && is ? equalNodes(before, was, after, is) : was === is;
}

/** What a format's own description field can hold of an edit. @example 'Edited by Ann: wrong cache flag' */
export function editWords({ reason, author }: { readonly reason?: string; readonly author?: string }): string {
  const who = author === undefined || author.trim() === '' ? 'Edited' : `Edited by ${author.trim()}`;
  return reason === undefined || reason.trim() === '' ? who : `${who}: ${reason.trim()}`;
}

/** The text with every letter outside ASCII as an escape; only strings of a JSON text can hold such letters. */
export function asciiJson(text: string): string {
  return text.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function parsed(text: string): JsonNode {
  try {
    return parseJson(text);
  } catch (cause) {
    const { message, data } = InspectorError.from(cause);
    const offset = typeof data?.['offset'] === 'number' ? data['offset'] : 0;
    const { line, column } = placeOf(text, offset);
    const what = message.replace(/^Not JSON at offset \d+: /, '').replace(/\.$/, '');
    throw new InspectorError('invalid_input', `Invalid JSON at line ${line}, column ${column}: ${what}.`, {
      cause,
      data: { offset, line, column },
      remedy: 'Fix the text there. Nothing was changed.',
    });
  }
}

function refused(text: string, offset: number, what: string): InspectorError {
  const { line, column } = placeOf(text, offset);
  return new InspectorError('invalid_input', `Line ${line}, column ${column} contains ${what}.`, {
    data: { offset, line, column },
  });
}

function firstNonFinite(text: string, root: JsonNode): JsonNode | undefined {
  for (const { node } of nodesOf(root)) {
    if (node.kind === 'number' && /^-?[NI]/.test(text.slice(node.start, node.start + 2))) return node;
  }
  return undefined;
}

function firstDuplicate(root: JsonNode): string | undefined {
  for (const { node, path } of nodesOf(root)) {
    const twice = node.kind === 'object' ? node.members.find((member) => member.duplicate) : undefined;
    if (twice) return formatPath([...path(), twice.key]);
  }
  return undefined;
}

function loneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    if (point >= 0xd800 && point <= 0xdfff) return at;
    if (point > 0xffff) at++;
  }
  return text.length;
}

function utf8Length(text: string): number {
  // No text has more than three bytes a unit, so the exact count is only needed near the limit.
  return text.length * 3 <= MAX_EDIT_BYTES ? text.length : new TextEncoder().encode(text).length;
}
