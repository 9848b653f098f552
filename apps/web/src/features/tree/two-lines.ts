const PART = /[^\s_/:.-]*[\s_/:.-]*/g;

/**
 * A name in at most two lines of so many characters, broken between its words; what is left over ends with "…".
 * @example inTwoLines('rank_companies', 10) // ['rank_', 'companies']
 */
export function inTwoLines(text: string, most: number): readonly string[] {
  const name = text.trim();
  if (lengthOf(name) <= most) return [name];
  const first = beginning(name, most);
  const rest = name.slice(first.length).trim();
  return rest === '' ? [cut(name, most)] : [first.trim(), cut(rest, most)];
}

/** As many whole words as fit; of a longer first word, what fits of it. */
function beginning(name: string, most: number): string {
  let line = '';
  for (const [part] of name.matchAll(PART)) {
    if (lengthOf((line + part).trim()) > most) break;
    line += part;
  }
  return line === '' ? Array.from(name).slice(0, most).join('') : line;
}

const lengthOf = (text: string): number => Array.from(text).length;
const cut = (text: string, most: number): string =>
  lengthOf(text) <= most
    ? text
    : `${Array.from(text)
        .slice(0, most - 1)
        .join('')}…`;
