import { describe, expect, it } from 'vitest';
import { breaksOf, importsOf } from './boundaries.mjs';

describe('import boundaries', () => {
  it('finds static, side-effect, type and dynamic imports', () => {
    const text =
      "import a from 'a';\nimport type { B } from \"b\";\nimport 'c';\nexport * from './d.ts';\nawait import('e');";
    expect(importsOf(text)).toEqual(['a', 'b', 'c', './d.ts', 'e']);
  });

  it.each([
    ['packages/core/src/a.ts', "import fs from 'node:fs';"],
    ['packages/core/src/a.ts', "import { openSqlite } from '@checkpoint-inspector/io';"],
    ['packages/stores/src/sqlite/a.ts', "import x from '@checkpoint-inspector/systems/kaizen';"],
    ['packages/systems/src/kaizen/a.ts', "import x from '../langgraph/read.ts';"],
    ['packages/systems/src/kaizen/view.ts', "import fs from 'node:fs';"],
    ['packages/io/src/a.ts', "import x from '@checkpoint-inspector/config/measure';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/api';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/systems/kaizen';"],
    ['apps/api/src/a.ts', "import x from '../../../packages/core/src/model.ts';"],
  ])('%s must not say %s', (file, text) => {
    expect(breaksOf(file, text)).toHaveLength(1);
  });

  it.each([
    ['packages/core/src/testing/a.ts', "import { it } from 'vitest';"],
    ['packages/core/src/a.test.ts', "import x from '@checkpoint-inspector/config/measure';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/systems/kaizen/view';"],
    ['apps/web/src/a.ts', "import x from '@checkpoint-inspector/api/client';"],
    ['packages/stores/src/sqlite/a.ts', "import { openSqlite } from '@checkpoint-inspector/io';"],
  ])('%s may say %s', (file, text) => {
    expect(breaksOf(file, text)).toEqual([]);
  });
});
