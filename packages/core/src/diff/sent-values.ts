/** Values as they are sent beside others: long ones are cut, and the length of the whole is named. */

/** Characters of a value that are sent. */
export const VALUE_SENT = 2_000;

interface Values {
  readonly before?: string;
  readonly after?: string;
}

/** With the lengths of the whole values, where they are cut. */
export interface SentValues extends Values {
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

/** @example sentValues({ path: '$.a', before: long }) // { path: '$.a', before: 'the beginning', beforeLength: 90_000 } */
export function sentValues<T extends Values>(item: T): Omit<T, 'before' | 'after'> & SentValues {
  const { before, after, ...rest } = item;
  return { ...rest, ...cut(before, 'before'), ...cut(after, 'after') };
}

/** One value alone. */
export function sentValue(text: string | undefined): { readonly value?: string; readonly valueLength?: number } {
  return cut(text, 'value');
}

function cut(text: string | undefined, side: 'before' | 'after' | 'value') {
  if (text === undefined) return {};
  if (text.length <= VALUE_SENT) return { [side]: copied(text) };
  return { [side]: copied(wholeWords(text.slice(0, VALUE_SENT))), [`${side}Length`]: text.length };
}

/** A part of a state would keep the whole in memory. */
const copied = (text: string): string => ` ${text}`.slice(1);

/** Half a secret has no shape and would not be masked: the last word, which may go on, is left out. */
function wholeWords(text: string): string {
  return text.slice(0, text.search(/[^\s"',;]*$/));
}
