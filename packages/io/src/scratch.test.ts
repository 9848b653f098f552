import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { built } from '@checkpoint-inspector/config/built';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { makeScratch, outside, removeScratch, startScratch } from './scratch.ts';

const SOURCE = join(import.meta.dirname, 'scratch.ts');
/** Node 20 runs no TypeScript. */
const BUILT = join(process.cwd(), 'node_modules/.cache/built', `${SOURCE.replaceAll(/\W+/g, '-')}.mjs`);
beforeAll(() => built(SOURCE));
const dead = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));

/** A temp folder that nothing else uses. */
function ownTemp(): string {
  const temp = mkdtempSync(join(tmpdir(), 'scratch-test-'));
  vi.stubEnv('TMPDIR', temp);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(temp, { recursive: true });
  });
  return temp;
}

const scratchOf = (temp: string) => readdirSync(temp).filter((name) => name.startsWith('checkpoint-inspector-'));

it('sweeps what a process that is gone left, and nothing else', () => {
  const temp = ownTemp();
  const own = makeScratch('copy');
  expect(statSync(own).mode & 0o077).toBe(0);
  const name = own.slice(temp.length + 1);
  const of = (pid: number): string => name.replace(`-${process.pid}-`, `-${pid}-`);
  const leave = (left: string): string => {
    mkdirSync(join(temp, left, 'below'), { recursive: true });
    return left;
  };
  leave(of(dead));
  if (process.platform === 'linux') leave(of(process.ppid));
  const elsewhere = leave(name.replace(/-[0-9a-f]{8}-(?=[0-9a-f]{8}-)/, '-00000000-'));
  const others = [
    leave(of(dead).replace('-copy-', '-other-')),
    leave(`x${of(dead)}`),
    leave(`${of(dead)}x`),
    leave('checkpoint-inspector-Ab12Cd'),
  ];
  symlinkSync(leave('somewhere'), join(temp, of(dead).replace(/.{6}$/, 'link01')));
  writeFileSync(join(temp, of(dead).replace(/.{6}$/, 'file01')), '');
  startScratch();
  expect(new Set(readdirSync(temp))).toEqual(
    new Set([
      name,
      elsewhere,
      ...others,
      'somewhere',
      of(dead).replace(/.{6}$/, 'link01'),
      of(dead).replace(/.{6}$/, 'file01'),
    ]),
  );
  expect(readdirSync(join(temp, 'somewhere'))).toEqual(['below']);
  expect(outside(temp).map(({ path, owner, pid }) => [path, owner, pid])).toEqual(
    expect.arrayContaining([
      [own, 'running', process.pid],
      [join(temp, elsewhere), 'elsewhere', process.pid],
    ]),
  );
  removeScratch(own);
  expect(existsSync(own)).toBe(false);
});

it('lists the files of the state folder, each with what it is', () => {
  const state = ownTemp();
  for (const name of [
    'journal.sqlite',
    'journal.sqlite-wal',
    'cache.sqlite',
    'notes.txt',
    `agreed-stores.json.${dead}.tmp`,
  ])
    writeFileSync(join(state, name), 'four');
  expect(outside(state).map(({ path, owner, bytes }) => [path.slice(state.length + 1), owner, bytes])).toEqual([
    [`agreed-stores.json.${dead}.tmp`, 'gone', 4],
    ['cache.sqlite', 'cache', 4],
    ['journal.sqlite', 'person', 8],
  ]);
  expect(outside(join(state, 'nowhere'))).toEqual([]);
});

const PROGRAM = `
const { makeScratch, startScratch } = await import(process.argv[1]);
if (process.argv[2] === 'program') startScratch();
console.log(makeScratch('demo'));
if (process.argv[3] === 'end') process.exitCode = 3;
else setInterval(() => undefined, 1000);`;

/** How it ended. */
async function run(kind: 'program' | 'library', end: NodeJS.Signals | 'end') {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, pathToFileURL(BUILT).href, kind, end], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  if (end !== 'end') child.kill(end);
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

it.each([
  ['program', 'end', { code: 3, signal: null }, 0],
  ['library', 'end', { code: 3, signal: null }, 0],
  ['program', 'SIGINT', { code: null, signal: 'SIGINT' }, 0],
  ['program', 'SIGTERM', { code: null, signal: 'SIGTERM' }, 0],
  ['program', 'SIGHUP', { code: null, signal: 'SIGHUP' }, 0],
  ['program', 'SIGKILL', { code: null, signal: 'SIGKILL' }, 1],
] as const)('a %s that ends by %s ends as it would, and only a kill leaves its folder', async (kind, end, as, left) => {
  const temp = ownTemp();
  expect(await run(kind, end)).toEqual(as);
  expect(scratchOf(temp)).toHaveLength(left);
  startScratch();
  expect(scratchOf(temp)).toEqual([]);
});
