/** The Nodes that the package is tried on: this one, and those of the other supported lines that npm can bring. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const LINES = [20, 22, 24];
const CACHE = resolve(import.meta.dirname, '../node_modules/.cache/nodes');
const SYSTEM = process.platform === 'win32' ? 'win' : process.platform;
const OWN = Number(process.versions.node.split('.')[0]);

export interface NodeAtHand {
  readonly line: number;
  readonly version: string;
  /** For a process that shall find this Node first, and npm beside it. */
  readonly path: string;
}

/** @returns the Nodes at hand, and in words those that aren't */
export function nodesAtHand(): { nodes: NodeAtHand[]; missing: string[] } {
  const found = LINES.map((line) => (line === OWN ? own() : bring(line)));
  return {
    nodes: found.filter((one) => typeof one !== 'string'),
    missing: found.filter((one) => typeof one === 'string'),
  };
}

const own = (): NodeAtHand => ({ line: OWN, version: process.versions.node, path: process.env['PATH'] ?? '' });

/** The package of a Node is its program and nothing else: no script has to run. */
function bring(line: number): NodeAtHand | string {
  const name = `node-${SYSTEM}-${process.arch}`;
  const folder = join(CACHE, `${line}`);
  const program = join(folder, 'node_modules', name, 'bin');
  if (!existsSync(program)) {
    const args = ['install', `${name}@${line}`, '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
    const done = spawnSync('npm', args, { encoding: 'utf8', timeout: 240_000 });
    if (done.status !== 0) return `Node ${line}: npm can't bring ${name}@${line} (${lastLine(done.stderr)})`;
  }
  const path = `${program}${delimiter}${process.env['PATH'] ?? ''}`;
  const told = spawnSync('node', ['--version'], { encoding: 'utf8', env: { ...process.env, PATH: path } });
  if (told.status !== 0) return `Node ${line}: its program doesn't run here (${lastLine(told.stderr)})`;
  return { line, version: told.stdout.trim().slice(1), path };
}

const lastLine = (text: string | null): string => text?.trim().split('\n').at(-1) ?? 'no answer';
