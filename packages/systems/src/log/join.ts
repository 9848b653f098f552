/**
 * Items between two texts, as one text that is made at once: put together from parts, a large state would be copied again.
 * @example joined('[', ['1', '2'], ']') // '[1,2]'
 */
export function joined(head: string, items: readonly string[], tail: string): string {
  const parts = [...items];
  parts[0] = `${head}${parts[0] ?? ''}`;
  parts.push(`${parts.pop() ?? ''}${tail}`);
  return parts.join(',');
}
