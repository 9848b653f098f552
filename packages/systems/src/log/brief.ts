const MOST_WORDS = 100;

/** The beginning of a text in one line, without control characters. @example brief('two\nlines') // 'two lines' */
export function brief(words: string, most = MOST_WORDS): string {
  const line = words
    .slice(0, 4 * most)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
