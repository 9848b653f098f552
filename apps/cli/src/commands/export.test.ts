import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../program.ts';

const SECRETS = [`sk-${'a1B2'.repeat(8)}`, 'AKIAIOSFODNN7EXAMPLE', `ghp_${'a1B2'.repeat(9)}`];

let folder: string;
let store: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-export-'));
  store = join(folder, 'agent.db');
  const open = await openSqliteStore({ path: store });
  await open.save({ task: 'leaky', id: 'c-1', text: JSON.stringify({ n: 1, env: SECRETS }) });
  await open.close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const output = { json: args.includes('--json'), line: (text: string) => lines.push(text), note: () => undefined };
  process.env['CHECKPOINT_INSPECTOR_STATE'] = join(folder, '.state');
  await (await createProgram({ version: '0.0.0', output })).parseAsync(['node', 'cli', ...args, '-s', store]);
  return lines.join('\n');
}

describe('export and report', () => {
  it.each([
    ['bundle', 'export'],
    ['html', 'report'],
  ])('S59: a %s masks sk-…, AKIA…, ghp_… unless asked', async (_, verb) => {
    const [masked, revealed] = [join(folder, 'masked'), join(folder, 'revealed')];
    const told = await run(verb, 'leaky', '--out', masked);
    expect(told).toContain('1 checkpoint, ');
    expect(told).toContain('Masked: 1 × AWS access key, 1 × GitHub token, 1 × OpenAI key.');
    const text = await readFile(masked, 'utf8');
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    await run(verb, 'leaky', '--out', revealed, '--reveal');
    const whole = await readFile(revealed, 'utf8');
    for (const secret of SECRETS) expect(whole).toContain(secret);
    expect((await stat(masked)).mode & 0o777).toBe(0o600);
  });

  it('S59: a report beside another run masks what that one has, and counts it', async () => {
    const open = await openSqliteStore({ path: store });
    const other = `sk-${'z9Y8'.repeat(8)}`;
    await open.save({ task: 'retry', id: 'r-1', text: JSON.stringify({ n: 2, env: [other, ...SECRETS.slice(1)] }) });
    await open.close();
    const out = join(folder, 'compared.html');
    await run('report', 'leaky', '--compare', 'retry', '--out', out);
    const text = await readFile(out, 'utf8');
    expect(text).toContain('Compared with &quot;retry&quot;');
    expect(text).toContain('First difference at #01');
    expect(text).toContain('Masked: 2 × OpenAI key');
    for (const secret of [...SECRETS, other]) expect(text).not.toContain(secret);
  });

  it('S59: says before what it masks, and writes nothing then', async () => {
    const answer: unknown = JSON.parse(await run('export', 'leaky', '--dry-run', '--json'));
    expect(answer).toMatchObject({
      checkpoints: 1,
      masked: expect.arrayContaining([{ name: 'OpenAI key', count: 1 }]),
    });
    expect(JSON.stringify(answer)).not.toContain(SECRETS[0]);
    await expect(stat(join(folder, 'masked'))).rejects.toThrow();
  });

  it('writes to standard output with --out -, and what else there is to say elsewhere', async () => {
    const file = join(folder, 'bundle.json');
    await run('export', 'leaky', '--out', file);
    for (const more of [[], ['--json']]) {
      const written: string[] = [];
      const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((part) => written.push(String(part)) > 0);
      const told = await run('export', 'leaky', '--out', '-', ...more).finally(() => stdout.mockRestore());
      expect(told).toBe('');
      // Each file has hashes under a key of its own.
      const timeless = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|"revision":"[0-9a-f]{64}"/g, '');
      expect(timeless(written.join(''))).toBe(timeless(await readFile(file, 'utf8')));
    }
  });

  it('never overwrites a store that is open, whatever it is called by', async () => {
    const before = await readFile(store);
    await symlink(store, join(folder, 'linked'));
    for (const out of [store, join(folder, 'linked')])
      for (const verb of ['export', 'report'])
        await expect(run(verb, 'leaky', '--out', out, '--force')).rejects.toMatchObject({
          code: 'invalid_input',
          message: `"${out}" belongs to the store "agent.db", so it isn't overwritten.`,
        });
    expect(await readFile(store)).toEqual(before);
  });

  it('overwrites what an export wrote into the folder of a store, and no other file of it', async () => {
    const kaizen = join(folder, 'kaizen');
    const kept = 'ckpt_0123456789ab.jsonl';
    await mkdir(kaizen);
    const state = { checkpoint_id: 'ckpt_0123456789ab', agent_id: 'a', timestamp: '2026-01-01T00:00:00+00:00' };
    await writeFile(join(kaizen, kept), JSON.stringify({ ...state, step_number: 1, status: 'running', metadata: {} }));
    const before = await readFile(join(kaizen, kept));
    const asked = (out: string) => ['export', 'a', '-s', kaizen, '--out', join(kaizen, out), '--force'];
    await expect(run(...asked(kept))).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await readFile(join(kaizen, kept))).toEqual(before);
    await run(...asked('case.json'));
    await run(...asked('case.json'));
  });

  it('contains a task once that is named twice', async () => {
    const out = join(folder, 'case.json');
    expect(await run('export', 'leaky', 'leaky', '--out', out)).toContain('1 checkpoint, ');
    expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({ tasks: [{ task: { id: 'leaky' } }] });
  });

  it('refuses a file that is there, a format it does not know, and no file at all', async () => {
    const out = join(folder, 'one');
    await run('export', 'leaky', '--out', out);
    await expect(run('export', 'leaky', '--out', out)).rejects.toMatchObject({ code: 'invalid_input' });
    await run('export', 'leaky', '--out', out, '--force');
    await expect(run('export', 'leaky', '--out', out, '--format', 'pdf')).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(run('export', 'leaky', '--out', join(folder, 'none', 'one'))).rejects.toMatchObject({
      message: `The folder "${join(folder, 'none')}" doesn't exist.`,
    });
    await expect(run('export', 'leaky')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(run('export', 'nothing', '--dry-run')).rejects.toMatchObject({ code: 'not_found' });
  });
});
