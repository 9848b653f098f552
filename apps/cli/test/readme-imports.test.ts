import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const SYSTEMS = 'packages/systems/src';
const READMES = [
  'README.md',
  ...readdirSync(join(ROOT, 'apps/cli/docs')).map((name) => join('apps/cli/docs', name)),
  'packages/stores/README.md',
  ...readdirSync(join(ROOT, SYSTEMS), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('README.md'))
    .map((name) => join(SYSTEMS, name)),
];
const published = JSON.parse(readFileSync(join(ROOT, 'apps/cli/package.json'), 'utf8')) as {
  exports: Record<string, { types: string }>;
};

/** The source of a published entry, by its types. */
function sourceOf(name: string): string | undefined {
  const types = published.exports[name.replace('checkpoint-inspector', '.')]?.types;
  if (types === './dist/types/core.d.ts') return join(ROOT, 'apps/cli/src/public.ts');
  return types && join(ROOT, 'apps/cli/src/public', types.replace('./dist/types/', '').replace('.d.ts', '.ts'));
}

describe.each(READMES)('%s', (readme) => {
  const text = readFileSync(join(ROOT, readme), 'utf8');
  const all = [...text.matchAll(/^import \{ ([^}]+) \} from '([^']+)';$/gm)].map(([, names = '', from = '']) => ({
    names: names.split(',').map((name) => name.trim()),
    from,
  }));
  // Who uses a framework has its packages.
  const imports = all.filter(({ from }) => !/^(@langchain\/|@ai-sdk\/|@openai\/agents$|ai$)/.test(from));

  it('names no package that is not published', () => {
    expect(text).not.toContain('@checkpoint-inspector/');
    for (const { from } of imports) expect([from, sourceOf(from)]).toEqual([from, expect.any(String)]);
  });

  it('imports what the package exports', async () => {
    for (const { names, from } of imports) {
      const keys = Object.keys((await import(sourceOf(from) ?? from)) as object);
      expect([from, keys]).toEqual([from, expect.arrayContaining(names)]);
    }
  });
});
