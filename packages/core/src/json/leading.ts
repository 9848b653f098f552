const MEMBER = /\s*("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")\s*,/y;

/**
 * The members at the start of a JSON object as long as they are texts; the JSON may be cut anywhere behind them. For
 * documents that are too large to be parsed.
 * @example leadingTexts('{"id": "a", "time": "t", "n": 1, "bi') // Map { 'id' => 'a', 'time' => 't' }
 */
export function leadingTexts(head: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const start = /^\s*\{/.exec(head);
  if (!start) return found;
  MEMBER.lastIndex = start[0].length;
  for (let match = MEMBER.exec(head); match; match = MEMBER.exec(head)) {
    const [key, value] = [textOf(match[1]), textOf(match[2])];
    if (key === undefined || value === undefined) return found;
    found.set(key, value);
  }
  return found;
}

function textOf(token = ''): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}
