/** Adds line breaks to JSON text; runs in a worker too. */
import { type JsonNode, sourceOf } from '@checkpoint-inspector/core';

/** Deeper values stay on their line: indents of their own would be most of the text. */
const MOST_INDENT = 200;

/** Every token stays exactly as stored: only white space between tokens changes. */
export function layout(text: string, node: JsonNode, width: number, indent = ''): string {
  const source = sourceOf(text, node);
  const size = node.kind === 'object' ? node.members.length : node.kind === 'array' ? node.items.length : 0;
  const fits = source.length + indent.length <= width && !source.includes('\n');
  if (size === 0 || fits || indent.length > MOST_INDENT) return source;
  const inner = `${indent}  `;
  const lines =
    node.kind === 'object'
      ? node.members.map(
          (member) =>
            `${inner}${text.slice(member.keyStart, member.keyEnd)}: ${layout(text, member.value, width, inner)}`,
        )
      : node.kind === 'array'
        ? node.items.map((item) => inner + layout(text, item, width, inner))
        : [];
  const [open, close] = node.kind === 'object' ? '{}' : '[]';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
