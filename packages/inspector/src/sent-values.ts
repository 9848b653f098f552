/** Values as they are sent beside others: long ones are cut, and the length of the whole is named. */

/** Characters of a value that are sent. */
export const VALUE_SENT = 2_000;

interface Values {
  readonly before?: string;
  readonly after?: string;
}

/** @example sentValues({ path: '$.a', before: long }) // { path: '$.a', before: 'the beginning', beforeLength: 90_000 } */
export function sentValues<T extends Values>(
  item: T,
): Omit<T, 'before' | 'after'> & Values & { readonly beforeLength?: number; readonly afterLength?: number } {
  const { before, after, ...rest } = item;
  return { ...rest, ...cut(before, 'before'), ...cut(after, 'after') };
}

/** One value alone. */
export function sentValue(text: string | undefined): { readonly value?: string; readonly valueLength?: number } {
  return cut(text, 'value');
}

function cut(text: string | undefined, side: 'before' | 'after' | 'value') {
  if (text === undefined) return {};
  if (text.length <= VALUE_SENT) return { [side]: text };
  return { [side]: wholeWords(text.slice(0, VALUE_SENT)), [`${side}Length`]: text.length };
}

/** Half a secret has no shape and would not be masked: the last word, which may go on, is left out. */
function wholeWords(text: string): string {
  return text.slice(0, text.search(/[^\s"',;]*$/));
}
