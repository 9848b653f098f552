/** What is published, bundled again: the command that speaks MCP, and the library entries. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { connect } from '../src/mcp/testing/client.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Below the command's own modules, where the bundle finds the SQLite driver. */
const BUILT = join(ROOT, `apps/cli/node_modules/.cache/mcp-${process.pid}`);
const CLI = join(BUILT, 'dist/cli.js');
const EXTERNAL = [/^node:/, 'open', 'better-sqlite3', 'better-sqlite3-napi', '@parcel/watcher', 'vitest'];

let folder: string;
let env: Record<string, string>;

async function bundle(input: Record<string, string>, dir: string): Promise<void> {
  const build = await rolldown({ input, platform: 'node', external: EXTERNAL, logLevel: 'silent' });
  await build.write({ dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' });
  await build.close();
}

beforeAll(async () => {
  await bundle({ cli: join(ROOT, 'apps/cli/src/main.ts') }, join(BUILT, 'dist'));
  copyFileSync(join(ROOT, 'apps/cli/package.json'), join(BUILT, 'package.json'));
  folder = mkdtempSync(join(tmpdir(), 'mcp-command-'));
  env = { PATH: process.env['PATH'] ?? '', CHECKPOINT_INSPECTOR_STATE: join(folder, 'state') };
  await (await openSqliteStore({ path: join(folder, 'agent.db') })).close();
}, 60_000);
afterAll(() => {
  rmSync(BUILT, { recursive: true, force: true });
  rmSync(folder, { recursive: true });
});

const command = (...args: string[]) =>
  connect(new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', ...args], cwd: folder, env }));

describe('checkpoint-inspector mcp', () => {
  it('finds the store below the folder; what is saved is there for the next process', async () => {
    const first = await command();
    expect((await first.tools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['checkpoint_save', 'checkpoint_load', 'checkpoint_list', 'errors', 'explain']),
    );
    const { checkpoint } = await first.call('checkpoint_save', { sessionId: 's', state: { n: 1 }, description: 'one' });
    await first.close();

    const second = await command('agent.db', '--read-only');
    expect((await second.tools()).map(({ name }) => name)).not.toContain('checkpoint_save');
    const loaded = await second.call('checkpoint_load', { sessionId: 's' });
    expect(loaded).toMatchObject({ checkpoint: { id: checkpoint?.id, description: 'one' }, state: { n: 1 } });
    await second.close();
  });

  it('answers what was piped in, writes nothing else to its output, and ends', () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const done = spawnSync(process.execPath, [CLI, 'mcp', 'agent.db'], {
      cwd: folder,
      env,
      input: message,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(done.status).toBe(0);
    expect(done.stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(done.stdout)).toMatchObject({ id: 0, result: { serverInfo: { name: 'checkpoint-inspector' } } });
  });

  it('serves the page for a proposal, whose token only a person gets', async () => {
    mkdirSync(join(BUILT, 'dist/web'), { recursive: true });
    writeFileSync(join(BUILT, 'dist/web/index.html'), '<title>Built page</title>');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', 'agent.db', '--no-open'],
      cwd: folder,
      env,
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const agent = await connect(transport);
    const { checkpoint } = await agent.call('checkpoint_save', { sessionId: 'p', state: { n: 1 } });
    await agent.call('checkpoint_save', { sessionId: 'p', state: { n: 2 } });
    const name = `agent-db/p/${checkpoint?.id ?? ''}`;
    const { text } = await agent.call('propose_restore', { checkpoint: name, reason: 'It was right.' });
    const { link } = JSON.parse(text) as { link: string };
    expect(await (await fetch(link)).text()).toBe('<title>Built page</title>');
    await expect.poll(() => said).toMatch(/^Proposal: http.*#code=/);
    const { origin, hash, pathname } = new URL(said.split('\n')[0]?.replace('Proposal: ', '') ?? '');
    expect(link).toBe(origin + pathname);
    const body = JSON.stringify({ code: new URLSearchParams(hash.slice(1)).get('code') });
    const exchange = () =>
      fetch(`${origin}/api/session`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const { token } = (await (await exchange()).json()) as { token: string };
    // It works once, and what lasts is in nothing that the host of the agent sees.
    expect((await exchange()).status).toBe(401);
    expect(text + said).not.toContain(token);
    expect((await fetch(`${origin}/api${pathname}`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    const { plan } = (await (await fetch(`${origin}/api${pathname}`, { headers })).json()) as { plan: { id: string } };
    expect((await fetch(`${origin}/api/plans/${plan.id}/apply`, { method: 'POST', headers })).status).toBe(200);
    expect((await agent.call('checkpoint_load', { sessionId: 'p' })).state).toEqual({ n: 1 });
    await agent.call('propose_fork', { checkpoint: name, reason: 'To try another way.' });
    await agent.close();
    await expect
      .poll(() =>
        fetch(origin).then(
          () => 'served',
          () => 'gone',
        ),
      )
      .toBe('gone');
    // Its proposals outlive it, and the next process of this client is told what became of them.
    const next = await command('agent.db');
    const listed = await next.client.callTool({ name: 'proposals', arguments: {} });
    expect(listed.structuredContent).toMatchObject({ items: [{ outcome: 'open' }, { outcome: 'applied' }] });
    await next.close();
  }, 60_000);

  it('names a target that is missing on the other stream', () => {
    const done = spawnSync(process.execPath, [CLI, 'mcp', 'nothing.db'], { cwd: folder, env, encoding: 'utf8' });
    expect([done.status, done.stdout]).toEqual([3, '']);
    expect(done.stderr).toMatch(/nothing\.db/);
  });
});

describe('checkpoint-inspector/inspect', () => {
  it('serves the page that is built beside it, over a manager of another entry', async () => {
    const lib = join(BUILT, 'dist/lib');
    await bundle(
      {
        core: join(ROOT, 'packages/core/src/index.ts'),
        'stores/manager': join(ROOT, 'packages/stores/src/manager.ts'),
        inspect: join(ROOT, 'apps/api/src/inspect.ts'),
      },
      lib,
    );
    mkdirSync(join(BUILT, 'dist/web'), { recursive: true });
    writeFileSync(join(BUILT, 'dist/web/index.html'), '<title>Built page</title>');
    const agent = join(BUILT, 'agent.mjs');
    writeFileSync(
      agent,
      `import { createCheckpointManager } from './dist/lib/stores/manager.js';
       import { inspect } from './dist/lib/inspect.js';
       const manager = createCheckpointManager();
       await manager.save({ id: 'a', taskId: 't', pendingSteps: [], completedSteps: [], context: {} });
       const { url, token, close } = await inspect(manager);
       const headers = { authorization: 'Bearer ' + token };
       const { items } = await (await fetch(new URL('/api/tasks', url), { headers })).json();
       const page = await (await fetch(url)).text();
       await close();
       console.log(JSON.stringify({ tasks: items.map(({ id }) => id), page }));`,
    );
    const done = spawnSync(process.execPath, [agent], { env, encoding: 'utf8', timeout: 20_000 });
    expect(done.stderr).toBe('');
    expect(JSON.parse(done.stdout)).toEqual({ tasks: ['t'], page: '<title>Built page</title>' });
  }, 60_000);

  it('is an entry of the package, as the manager is', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'apps/cli/package.json'), 'utf8')) as { exports: object };
    expect(exports).toMatchObject({
      './inspect': { default: './dist/lib/inspect.js' },
      './stores/manager': { default: './dist/lib/stores/manager.js' },
    });
  });
});
