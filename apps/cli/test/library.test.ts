import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examplesOf } from './pages.ts';

const PACKAGE = resolve(import.meta.dirname, '..');
const { exports: entries } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>;
};
const names = Object.keys(entries)
  .filter((key) => key !== './package.json')
  .map((key) => key.replace(/^\./, 'checkpoint-inspector'));

/** Every snippet in TypeScript that people read first. */
const DOCS = ['../../README.md', ...readdirSync(join(PACKAGE, 'docs')).map((name) => `docs/${name}`)];
const snippets = DOCS.flatMap((path) => examplesOf(readFileSync(join(PACKAGE, path), 'utf8'), 'ts'));

/** A manager as the documents show it, and one value of every entry. */
const CONSUMER = `
import { CheckpointManager, diffJson } from 'checkpoint-inspector/core';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { createCheckpointManager } from 'checkpoint-inspector';
import { FilesystemStorage } from 'checkpoint-inspector/systems/kaizen';

const store = await openSqliteStore({ path: process.argv[2] ?? '', maxPerTask: 10 });
const manager = new CheckpointManager({ store });
await manager.save({ id: 'cp-1', taskId: 'report', agentId: 'writer', stepIndex: 1, totalSteps: 4,
  context: {}, completedSteps: [], pendingSteps: ['draft'], createdAt: new Date().toISOString() });
const restored = await manager.restore('report');
if (!restored.success) throw new Error(restored.error);
const { checkpoint, remainingSteps }: { checkpoint: { id: string }; remainingSteps: string[] } = restored;
console.log(JSON.stringify([checkpoint.id, remainingSteps, diffJson('1', '2').summary.changed, typeof createCheckpointManager, typeof FilesystemStorage]));
await store.close();
`;

describe('the published library', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'library-'));
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(PACKAGE, join(folder, 'node_modules/checkpoint-inspector'));
    symlinkSync(join(PACKAGE, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'agent.ts'), CONSUMER);
    writeFileSync(
      join(folder, 'langgraph.ts'),
      "import { CheckpointInspectorSaver } from 'checkpoint-inspector/langgraph';\nexport const saver: { getTuple: unknown } = CheckpointInspectorSaver.fromPath('a.db');\n",
    );
    // LangChain's own declarations aren't for projects as strict as this one.
    const strict = names.filter((name) => !name.endsWith('/langgraph') || name.includes('/systems/'));
    const types = strict.map(
      (name, at) => `import * as entry${at} from '${name}';\nexport const keys${at} = Object.keys(entry${at});`,
    );
    writeFileSync(join(folder, 'entries.ts'), types.join('\n'));
    for (const [at, { code }] of snippets.entries()) writeFileSync(join(folder, `snippet-${at}.ts`), code);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(names.filter((name) => !name.endsWith('/testing')))('%s can be imported', (name) => {
    const done = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', `console.log(Object.keys(await import('${name}')).length)`],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    expect(done.stderr).toBe('');
    expect(Number(done.stdout)).toBeGreaterThan(0);
  });

  it.each([
    ['checkpoint-inspector', true],
    ['checkpoint-inspector/stores/manager', true],
    ['checkpoint-inspector/core', false],
  ])('the manager of %s saves to its storagePath, or says that it has none', (name, isDurable) => {
    const script = `const { CheckpointManager, createCheckpointManager } = await import('${name}');
      const storage = { storagePath: process.argv[1] };
      for (const make of [createCheckpointManager, (config) => new CheckpointManager(config)]) {
        try {
          const manager = make({ storage });
          await manager.save({ id: 'cp-' + Date.now(), taskId: 'report', pendingSteps: [] });
          console.log((await make({ storage }).restore('report')).success);
        } catch (error) { console.log(error.code + ': ' + error.remedy); }
      }`;
    const path = join(folder, `${name.replaceAll('/', '-')}.db`);
    const done = spawnSync(process.execPath, ['--input-type=module', '-e', script, path], {
      cwd: folder,
      encoding: 'utf8',
    });
    const refused = expect.stringMatching(/^unsupported: Import it from 'checkpoint-inspector'/) as string;
    expect(done.stdout.trim().split('\n')).toEqual(isDurable ? ['true', 'true'] : [refused, refused]);
    expect(existsSync(path)).toBe(isDurable);
  });

  it('has types that a strict project accepts, as do the snippets of the documents, and a manager runs', () => {
    const tsc = join(
      dirname(createRequire(join(PACKAGE, 'package.json')).resolve('typescript/package.json')),
      'bin/tsc',
    );
    const options = [
      '--strict',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--exactOptionalPropertyTypes',
      '--outDir',
      'out',
      '--types',
      'node',
    ];
    const checked = spawnSync(
      process.execPath,
      [tsc, ...options, 'agent.ts', 'entries.ts', ...snippets.map((_, at) => `snippet-${at}.ts`)],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    expect(checked.stdout.split('\n').filter((line) => !line.includes("'vitest'"))).toEqual(['']);
    const saver = [tsc, ...options, '--skipLibCheck', 'langgraph.ts'];
    expect(spawnSync(process.execPath, saver, { cwd: folder, encoding: 'utf8' }).stdout).toBe('');
    const run = spawnSync(process.execPath, ['out/agent.js', join(folder, 'agent.db')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual(['cp-1', ['draft'], 1, 'function', 'function']);
  });
});
