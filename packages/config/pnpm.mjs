// How the pinned pnpm is found and started, whatever started us.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const KEPT =
  /^npm_config_(registry|.*:registry|cache|proxy|https?_proxy|https-proxy|noproxy|cafile|userconfig|globalconfig|prefix)$/i;

/** npm's own variables would change what pnpm does; keep only how to reach the registry. */
export function cleanEnv(given = process.env) {
  const env = Object.fromEntries(
    Object.entries(given).filter(([key]) => !/^npm_(config|package|lifecycle)_/i.test(key) || KEPT.test(key)),
  );
  const prefix = resolve(dirname(process.execPath), '..');
  if (existsSync(join(prefix, 'include/node/node.h'))) env['npm_config_nodedir'] = prefix;
  env['NODE_ABI'] = `${process.platform}-${process.arch}-${process.versions.modules}`;
  env['TURBO_TELEMETRY_DISABLED'] = '1';
  env['DO_NOT_TRACK'] = '1';
  return env;
}

/** The command and its first arguments: pnpm itself where it is the pinned one, else through npx. */
export function pnpmCommand(root, env) {
  const pin = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.replace('pnpm@', '');
  const found = spawnSync('pnpm', ['--version'], {
    cwd: dirname(root),
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (found.status === 0 && found.stdout.trim() === pin) return ['pnpm'];
  return ['npx', '--yes', '--prefer-offline', `pnpm@${pin}`];
}
