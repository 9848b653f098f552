/** Safe as one word of a POSIX shell, whatever is in it. @example shellWord("it's") // "'it'\\''s'" */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
