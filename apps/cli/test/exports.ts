/** What a declaration file exports. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';

export interface Exported {
  readonly name: string;
  readonly isType: boolean;
  /** Its docstring, or an empty text. */
  readonly doc: string;
}

/** The exports of a declaration file with the docstrings of what they name, also where another file declares it. */
export function exportsOf(path: string): Exported[] {
  const text = readFileSync(path, 'utf8');
  const { module, program, comments } = parseSync(path, text, { lang: 'dts' });
  const doc = (local: string): { doc: string; isType: boolean } => {
    for (const { moduleRequest, entries } of module.staticImports) {
      const entry = entries.find((one) => one.localName.value === local);
      if (entry) return elsewhere(path, moduleRequest.value, entry.importName.name ?? '');
    }
    const statement = program.body.find((one) => declares(one, local));
    if (!statement) return { doc: '', isType: false };
    const before = comments.findLast(
      ({ end }) => end <= statement.start && /^\s*$/.test(text.slice(end, statement.start)),
    );
    return { doc: before?.value ?? '', isType: /^TS(Interface|TypeAlias)/.test(statement.type) };
  };
  return module.staticExports
    .flatMap(({ entries }) => entries)
    .map(({ moduleRequest, exportName, importName, localName }) => ({
      name: exportName.name ?? '',
      ...(moduleRequest
        ? elsewhere(path, moduleRequest.value, importName.name ?? '')
        : doc(localName.name ?? exportName.name ?? '')),
    }));
}

function elsewhere(path: string, from: string, name: string): { doc: string; isType: boolean } {
  const found = exportsOf(join(dirname(path), from.replace(/\.js$/, '.d.ts'))).find((one) => one.name === name);
  return { doc: found?.doc ?? '', isType: found?.isType ?? false };
}

function declares(statement: object, name: string): boolean {
  const { id, declarations } = statement as { id?: { name?: string }; declarations?: { id: { name?: string } }[] };
  return id?.name === name || (declarations ?? []).some((one) => one.id.name === name);
}
