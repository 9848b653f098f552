import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageFolders, thirdPartyNotices } from './notices.mjs';
import { publishedManifest, publishedPage } from './pack.mjs';

it('keeps addresses in a page, leads to the pages that are published, and keeps only the words of other links', () => {
  const text = `# A

![p](e2e/p.png)

[own](a/b.md) [far](https://x.test) [here](#a) [own agent](apps/cli/docs/own-agent.md#langgraph) [code](CONTRIBUTING.md)

<!-- checkout -->
npm test
<!-- /checkout -->
end`;
  expect(publishedPage(text, 'README.md')).toBe(
    '# A\n\nown [far](https://x.test) [here](#a) [own agent](dist/docs/own-agent.md#langgraph) code\n\nend',
  );
  expect(publishedPage('[a](../../../README.md#x)', 'apps/cli/docs/own-agent.md')).toBe('[a](../../README.md#x)');
  const systems = '[LangGraph](../../../packages/systems/src/langgraph/README.md#postgresql)';
  expect(publishedPage(systems, 'apps/cli/docs/systems.md')).toBe('[LangGraph](systems/langgraph.md#postgresql)');
});

it('shows pictures and files of the repository at the address that a release gives', () => {
  const at = 'https://forge.test/o/r/blob/v1.0.0';
  expect(publishedPage('![p](e2e/p.png) [code](CONTRIBUTING.md#x)', 'README.md', at)).toBe(
    `![p](${at}/e2e/p.png?raw=true) [code](${at}/CONTRIBUTING.md#x)`,
  );
});

it('publishes what npm reads, without what only the workspace needs', () => {
  const manifest = { name: 'a', dependencies: { b: '1' }, devDependencies: { c: 'workspace:*' } };
  expect(publishedManifest({ ...manifest, scripts: { build: 'x', prepack: 'y', postpack: 'z' } })).toEqual({
    name: 'a',
    dependencies: { b: '1' },
    scripts: { postpack: 'z' },
  });
});

it("finds the package of a module, below pnpm's store and with a scope", () => {
  const ids = [
    '/r/node_modules/.pnpm/react@1/node_modules/react/cjs/react.js',
    '/r/node_modules/.pnpm/react@1/node_modules/react/index.js?commonjs',
    '\0/r/node_modules/@a/b/c.js',
    '/r/packages/core/src/index.ts',
    '\0rolldown/runtime.js',
  ];
  expect(packageFolders(ids)).toEqual(['/r/node_modules/.pnpm/react@1/node_modules/react', '/r/node_modules/@a/b']);
});

describe('the notices', () => {
  let folder;
  const add = (name, manifest, texts = {}) => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(path, file), text);
    return path;
  };
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'notices-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('carry licence and notice of every package once, by name', () => {
    const b = add('b', { license: 'MIT' }, { 'LICENSE.md': 'text of b\r\n', 'license.js': 'code' });
    const a = add('a', { license: 'Apache-2.0', homepage: 'https://a.test' }, { LICENCE: 'text of a', NOTICE: 'of a' });
    const text = thirdPartyNotices([b, a, b]);
    expect(text).toMatch(
      /a 1\.0\.0, licence: Apache-2\.0\nhttps:\/\/a\.test\n\ntext of a\n\nof a\n[^]*b 1\.0\.0.*\n\ntext of b\n/,
    );
    expect(text.match(/text of b/g)).toHaveLength(1);
    expect(text).not.toContain('code');
  });

  it('name the author where a package ships no text, and another one ships its licence', () => {
    const own = add('own', { license: 'MIT', author: { name: 'Somebody' } });
    const other = add('other', { license: 'MIT' }, { LICENSE: 'the terms' });
    expect(thirdPartyNotices([own, other])).toContain(
      'own 1.0.0, licence: MIT\nAuthor: Somebody\n\nThe package ships no',
    );
  });

  it.each([
    [{}, 'names no licence'],
    [{ license: 'WTFPL' }, 'no text of the licence WTFPL'],
  ])('stop the build for a package whose terms are not at hand: %o', (manifest, words) => {
    const odd = add('odd', manifest);
    expect(() => thirdPartyNotices([odd])).toThrow(words);
  });
});
