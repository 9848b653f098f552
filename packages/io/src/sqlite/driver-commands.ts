import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Named {
  readonly name: string;
  readonly spec: string;
  readonly compiled: boolean;
}

/** How the program came onto this machine: each way has its own command for one more package. */
type Way = { readonly kind: 'npm' | 'global' | 'pnpm' } | { readonly kind: 'npx'; readonly folder: string };

function wayOf(where: string): Way {
  const path = (where.startsWith('file:') ? fileURLToPath(where) : where).replaceAll('\\', '/');
  const folder = path.split('/node_modules/')[0] ?? '';
  if (path.includes('/_npx/')) return { kind: 'npx', folder };
  if (path.includes('/node_modules/.pnpm/')) return { kind: 'pnpm' };
  const global = /\/(?:lib|npm)\/node_modules\/checkpoint-inspector\//.test(path);
  return { kind: global && !existsSync(join(folder, 'package.json')) ? 'global' : 'npm' };
}

/** The command that adds a driver; it allows the install script where the driver has one. */
export function installCommand({ name, spec, compiled }: Named, where: string): string {
  const scripts = compiled ? ' --ignore-scripts=false' : '';
  const way = wayOf(where);
  if (way.kind === 'npx') return `npx${scripts} -p checkpoint-inspector -p ${spec} checkpoint-inspector`;
  if (way.kind === 'pnpm') return `pnpm add ${spec}${compiled ? ` --allow-build=${name}` : ''}`;
  return `npm install ${way.kind === 'global' ? '-g ' : ''}${spec}${scripts}`;
}

/** The command that compiles a driver whose install script did not run, or ran on another Node. */
export function rebuildCommand(driver: Named, where: string): string {
  const { name } = driver;
  const way = wayOf(where);
  const rebuild = `npm rebuild ${name} --ignore-scripts=false`;
  if (way.kind === 'npx') return `${rebuild} --prefix "${way.folder}"`;
  if (way.kind === 'pnpm') return `${installCommand(driver, where)} && pnpm rebuild ${name}`;
  return way.kind === 'global' ? `${rebuild} -g` : rebuild;
}
