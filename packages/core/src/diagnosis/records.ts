import { wordsOf } from './values.ts';

const FIELD = /^\s*([\p{L}_][\p{L}\p{N}_ .-]{0,40}):\s+(\S.*)$/u;

/** Lines of a text; a record whose fields have a line each, the first of them the name of an entry, is one line. */
export function linesOf(text: string, isName: (words: readonly string[]) => boolean): readonly string[] {
  const lines: string[] = [];
  let record: { readonly key: string; readonly fields: string[] } | undefined;
  const close = (): void => {
    if (record) lines.push(record.fields.join('; '));
    record = undefined;
  };
  for (const line of text.split('\n')) {
    const [, key = '', value = ''] = FIELD.exec(line) ?? [];
    if (key !== '' && isName(wordsOf(value))) {
      close();
      record = { key, fields: [line] };
    } else if (record && key !== '' && key !== record.key && !isName(wordsOf(key))) {
      record.fields.push(line.trim());
    } else {
      close();
      lines.push(line);
    }
  }
  close();
  return lines;
}
