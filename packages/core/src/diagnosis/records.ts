import { wordsOf } from './values.ts';

const FIELD = /^\s*([\p{L}_][\p{L}\p{N}_ .-]{0,40}):\s+(\S.*)$/u;

/** Lines of a text; a record whose fields have a line each, the first of them the name of an entry, is one line. */
export function linesOf(text: string, isName: (words: readonly string[]) => boolean): readonly string[] {
  const lines: string[] = [];
  let record: { readonly keys: Set<string>; readonly fields: string[] } | undefined;
  const close = (): void => {
    if (record) lines.push(record.fields.join('; '));
    record = undefined;
  };
  for (const line of text.split('\n')) {
    const [, key = '', value = ''] = FIELD.exec(line) ?? [];
    // An entry may have several names; a field that comes again is that of the next one.
    if (record && key !== '' && !record.keys.has(key) && !isName(wordsOf(key))) {
      record.keys.add(key);
      record.fields.push(line.trim());
    } else if (key !== '' && isName(wordsOf(value))) {
      close();
      record = { keys: new Set([key]), fields: [line] };
    } else {
      close();
      lines.push(line);
    }
  }
  close();
  return lines;
}
