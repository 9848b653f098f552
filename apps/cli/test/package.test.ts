import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { builtinModules } from 'node:module';
import { parseSync } from 'rolldown/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../pack.mjs';
import { pack, type Packed } from './packed.ts';

describe('the tarball', () => {
  let folder: string;
  let packed: Packed;
  const manifestBefore = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'package-'));
    packed = pack(folder);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('carries what a reader, a lawyer and a program look for, and nothing of ours', () => {
    const top = packed.files.filter((path) => !/^dist\/(chunks|docs|lib|types|web)\//.test(path));
    expect(top.toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'bin/checkpoint-inspector.mjs',
      'dist/cli.js',
      'dist/sbom.cdx.json',
      'dist/search-index.js',
      'dist/state-worker.js',
      'dist/store-reader.js',
      'package.json',
    ]);
    expect(packed.files).toContain('dist/web/index.html');
    expect(packed.files.filter((path) => /\.test\.|\.map$|bundled\.json/.test(path))).toEqual([]);
  });

  it('is small: a module is in it once, whether the command or the library needs it', () => {
    expect(statSync(packed.tarball).size).toBeLessThan(1_700_000);
    const command = packed.read('dist/cli.js').match(/chunks\/first-core-[\w-]+\.js/)?.[0];
    expect(command).toBeDefined();
    expect(packed.read('dist/lib/core.js')).toContain(command);
  });

  it('has a file behind every name of its exports', () => {
    const targets = Object.values(packed.manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry.types, entry.default],
    );
    expect(targets.filter((path) => !packed.files.includes(path.slice(2)))).toEqual([]);
    expect(packed.manifest.exports['./package.json']).toBe('./package.json');
  });

  it('has one file of types per entry, and few that entries share', () => {
    const types = packed.files.filter((path) => path.startsWith('dist/types/'));
    const shared = types.filter((path) => path.startsWith('dist/types/shared/'));
    const entries = Object.values(packed.manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : [entry.types.slice(2)],
    );
    expect(types.filter((path) => !shared.includes(path)).toSorted()).toEqual([...new Set(entries)].toSorted());
    expect(shared.length).toBeLessThan(6);
    expect(types.flatMap((path) => packed.read(path).match(/better-sqlite3|@checkpoint-inspector\//g) ?? [])).toEqual(
      [],
    );
  });

  it('names nothing in its manifest that only this repository has', () => {
    expect(packed.manifest).not.toHaveProperty('devDependencies');
    expect(JSON.stringify(packed.manifest)).not.toMatch(/workspace:|catalog:|@checkpoint-inspector\//);
    expect(packed.manifest).toMatchObject({ license: 'MIT', author: expect.any(String), keywords: expect.any(Array) });
  });

  it('imports only what it declares', () => {
    const { dependencies, optionalDependencies, peerDependencies } = packed.manifest;
    const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    const code = packed.files.filter((path) => path.endsWith('.js') && !path.startsWith('dist/web/'));
    const imported = new Set(code.flatMap((path) => packagesIn(path, packed.read(path))));
    expect([...imported].filter((name) => !declared.includes(name))).toEqual([]);
    expect([...imported]).toContain('vitest');
  });

  it('needs no compiler on Node 22 and newer: what is compiled comes by choice only', () => {
    const { dependencies, optionalDependencies, peerDependenciesMeta } = packed.manifest;
    expect(Object.keys({ ...dependencies, ...optionalDependencies })).toEqual([
      '@parcel/watcher',
      'better-sqlite3-napi',
    ]);
    expect(peerDependenciesMeta).toEqual({
      '@langchain/langgraph-checkpoint': { optional: true },
      'better-sqlite3': { optional: true },
      vitest: { optional: true },
    });
  });

  it('has a README and every page of the documents, whose links all lead somewhere', () => {
    expect(packed.read('README.md')).toMatch(/^# Checkpoint Inspector/);
    expect(packed.read('README.md')).toContain('npx checkpoint-inspector');
    const pages = packed.files.filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md');
    expect(pages.toSorted()).toEqual([...PAGES.values()].toSorted());
    for (const page of pages) {
      const text = packed.read(page);
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)];
      for (const [, path = '', anchor = ''] of links) {
        const target = path === '' ? page : posix.join(posix.dirname(page), path);
        expect(pages).toContain(target);
        if (anchor !== '') expect(anchorsOf(packed.read(target))).toContain(anchor);
      }
      expect(text).not.toMatch(/npm test|<!--/);
    }
  });

  it('carries the licence text of what is bundled: the page, the server and the command', () => {
    const notices = packed.read('THIRD-PARTY-NOTICES.txt');
    for (const name of [
      'react',
      'react-dom',
      'hono',
      'zod',
      'commander',
      '@codemirror/view',
      'lucide-react',
      'eventsource-parser',
    ])
      expect(notices).toMatch(new RegExp(`^${name} \\d.*licence: (MIT|ISC)$`, 'm'));
    // The protocol's library brings them for programs that check forms or use zod 3.
    expect(notices).not.toMatch(/^(ajv|ajv-formats|zod-to-json-schema) \d/m);
    expect(notices).toContain('Copyright (c) Meta Platforms');
    expect(notices).toContain('THE SOFTWARE IS PROVIDED "AS IS"');
  });

  it('lists what is bundled for scanners, the same packages as the notices', () => {
    const { bomFormat, components } = JSON.parse(packed.read('dist/sbom.cdx.json')) as {
      bomFormat: string;
      components: { name: string; version: string; purl: string }[];
    };
    expect(bomFormat).toBe('CycloneDX');
    const listed = components.map(({ name, version }) => `${name} ${version}`);
    const named = [...packed.read('THIRD-PARTY-NOTICES.txt').matchAll(/^(\S+ \d\S*), licence: /gm)].map(
      ([, one]) => one,
    );
    expect(listed.toSorted()).toEqual(named.toSorted());
    expect(components.find(({ name }) => name === '@codemirror/view')?.purl).toMatch(
      /^pkg:npm\/%40codemirror\/view@\d/,
    );
  });

  it('leaves the working copy as it was', () => {
    expect(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).toBe(manifestBefore);
    expect(JSON.parse(readFileSync(join(folder, 'apps/cli/package.json'), 'utf8'))).toEqual(JSON.parse(manifestBefore));
  });
});

/** Of its headings, as the usual readers of Markdown make them. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, words = '']) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const OWN = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);

/** The packages that a bundled file asks for when it is loaded or later. */
function packagesIn(path: string, text: string): string[] {
  const { module } = parseSync(path, text);
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '.')),
    // Those of a computed name are not ours to find.
    ...module.dynamicImports.flatMap(
      ({ moduleRequest: { start, end } }) => /^["'`]([^"'`$]+)["'`]$/.exec(text.slice(start, end))?.slice(1, 2) ?? [],
    ),
  ];
  return names
    .filter((name) => !name.startsWith('.') && !OWN.has(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}
