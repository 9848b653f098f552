import { describe, expect, it } from 'vitest';
import { breaksOf, breaksOfAll, importsOf } from './boundaries.mjs';
import { cyclesOf } from './cycles.mjs';

const breaks = (file, text) => breaksOf(file, importsOf(text, file));

describe('imports of a file', () => {
  it('are found whatever their form, types included, each once', () => {
    const text = `
      import a from 'a';
      import type { B } from "b";
      import { type C } from 'c';
      import 'd';
      export * from './e.ts';
      export type { F } from './f.ts';
      const g = await import('g');
      type H = import('h').H;
      import again from 'a';`;
    expect(importsOf(text).toSorted()).toEqual(['./e.ts', './f.ts', 'a', 'b', 'c', 'd', 'g', 'h']);
  });

  it('are not taken from comments and strings, which a search for words would find', () => {
    const text = "// import a from 'a';\nexport const b = `\nimport c from 'c';\n`;\n/*\nimport d from 'd';\n*/";
    expect(importsOf(text)).toEqual([]);
  });

  it('are found in a component, and a file that cannot be parsed is an error', () => {
    expect(importsOf("import a from 'a';\nexport const A = () => <p>import b from 'b';</p>;", 'A.tsx')).toEqual(['a']);
    expect(() => importsOf('import {', 'a.ts')).toThrow('a.ts: ');
  });
});

describe('a break names the file and what to do', () => {
  it.each([
    ['packages/core/src/a.ts', "import fs from 'node:fs';", 'Move it to packages/io'],
    ['packages/core/src/a.ts', "import { b } from '@checkpoint-inspector/io';", 'Move the code to a package'],
    ['packages/io/src/a.ts', "import type { B } from '@checkpoint-inspector/systems/kaizen';", 'must not import'],
    ['packages/io/src/a.ts', "import x from '@checkpoint-inspector/config/measure';", 'must not import'],
    ['packages/stores/src/sqlite/a.ts', "import x from '@checkpoint-inspector/systems/kaizen';", 'must not import'],
    ['packages/changes/src/a.ts', "import x from '@checkpoint-inspector/search';", 'must not import'],
    ['packages/search/src/a.ts', "import x from '@checkpoint-inspector/inspector';", 'must not import'],
    ['packages/inspector/src/a.ts', "import x from '@checkpoint-inspector/api';", 'must not import'],
    ['packages/demo/src/a.ts', "import x from '@checkpoint-inspector/api';", 'must not import'],
    ['packages/bench/src/a.ts', "import x from '@checkpoint-inspector/demo';", 'must not import'],
    ['packages/bench/src/a.ts', "import x from '@checkpoint-inspector/config/measure';", 'must not import'],
    ['packages/inspector/src/a.ts', "import x from '@checkpoint-inspector/bench';", 'must not import'],
    ['packages/systems/src/kaizen/a.ts', "import x from '../langgraph/read.ts';", 'Move what both need'],
    ['packages/systems/src/folder/a.ts', "import x from '../kaizen/read.ts';", 'Move what both need'],
    ['packages/systems/src/run-row/a.ts', "import x from '../mastra/plan.ts';", 'Move what both need'],
    ['packages/systems/src/langgraph/a.ts', "import x from '../langgraph-dev/read.ts';", 'Move what both need'],
    ['apps/api/src/a.ts', "import x from '@checkpoint-inspector/demo';", 'must not import'],
    ['apps/api/src/a.ts', "import x from '../../../packages/core/src/model.ts';", 'Import the package by its name'],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/api';", 'must not import'],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/inspector';", 'must not import'],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/systems/kaizen';", 'must not import'],
    ['apps/web/src/features/edit/a.ts', "import type { B } from '../../routes/b.ts';", 'down to lib'],
    ['apps/web/src/components/a.tsx', "import { B } from '../features/edit/B.tsx';", 'down to lib'],
    ['apps/web/src/lib/a.ts', "import { B } from '../components/B.tsx';", 'pass it in'],
  ])('%s must not say %s', (file, text, remedy) => {
    expect(breaks(file, text)).toEqual([expect.stringMatching(new RegExp(`^${file}: .*${remedy}`))]);
  });

  it.each([
    ['packages/core/src/testing/a.ts', "import { it } from 'vitest';"],
    ['packages/core/src/a.test.ts', "import x from '@checkpoint-inspector/config/measure';"],
    ['packages/stores/src/sqlite/a.ts', "import { openSqlite } from '@checkpoint-inspector/io';"],
    ['packages/systems/src/kaizen/a.ts', "import x from '../folder/source.ts';"],
    ['packages/systems/src/mastra/a.ts', "import x from '../run-row/plan.ts';"],
    ['packages/systems/src/langgraph-dev/a.ts', "import x from '../langgraph/read.ts';"],
    ['packages/inspector/src/a.ts', "import x from '@checkpoint-inspector/changes';"],
    ['apps/api/src/a.test.ts', "import x from '@checkpoint-inspector/demo';"],
    ['apps/web/src/main.tsx', "import { router } from './routes/router.tsx';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/systems/kaizen/view';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/stores/view';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/api/client';"],
    ['apps/web/src/routes/a.tsx', "import { B } from '../features/edit/B.tsx';"],
    ['apps/web/src/features/edit/a.tsx', "import { B } from '../../components/B.tsx';"],
    ['apps/web/src/lib/a.test.ts', "import { B } from '../components/B.tsx';"],
  ])('%s may say %s', (file, text) => {
    expect(breaks(file, text)).toEqual([]);
  });
});

const files = (texts) => new Map(Object.entries(texts).map(([file, text]) => [file, importsOf(text, file)]));

describe('views run in browsers', () => {
  it('and so does what they import, near or far', () => {
    const found = breaksOfAll(
      files({
        'packages/systems/src/kaizen/view.ts':
          "import { parseJson } from '@checkpoint-inspector/core';\nimport './a.ts';",
        'packages/systems/src/kaizen/a.ts': "import type { B } from './b.ts';",
        'packages/systems/src/kaizen/b.ts': "import { readBounded } from '@checkpoint-inspector/io';",
        'packages/systems/src/kaizen/read.ts': "import fs from 'node:fs';",
        'packages/stores/src/view.ts': "import { parse } from 'yaml';",
      }),
    );
    expect(found.map((line) => line.split(' cannot')[0])).toEqual([
      'packages/stores/src/view.ts: runs in browsers without dependencies, so "yaml"',
      'packages/systems/src/kaizen/b.ts: runs in browsers without dependencies, so "@checkpoint-inspector/io"',
    ]);
  });
});

describe('circles', () => {
  it('are named whole, also where only types go round', () => {
    const found = breaksOfAll(
      files({
        'packages/io/src/a.ts': "import type { B } from './deep/b.ts';",
        'packages/io/src/deep/b.ts': "export type B = import('../c.ts').C;",
        'packages/io/src/c.ts': "export { a } from './a.ts';",
        'packages/io/src/d.ts': "import './a.ts';",
      }),
    );
    expect(found).toEqual([
      expect.stringContaining('packages/io/src/a.ts, packages/io/src/c.ts, packages/io/src/deep/b.ts. Move what they'),
    ]);
  });

  it('are told apart, and a file reached twice is none', () => {
    const edges = {
      a: ['b', 'c'],
      b: ['d'],
      c: ['d'],
      d: [],
      e: ['f'],
      f: ['e', 'a'],
      g: ['h'],
      h: ['i', 'g'],
      i: ['g'],
    };
    expect(cyclesOf(new Map(Object.entries(edges)))).toEqual([
      ['e', 'f'],
      ['g', 'h', 'i'],
    ]);
  });
});
