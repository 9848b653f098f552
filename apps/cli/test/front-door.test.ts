import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOutput } from '../src/output.ts';
import { createProgram } from '../src/program.ts';
import { examplesOf, linesOf } from './pages.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCS = 'apps/cli/docs';
const PAGES = ['README.md', ...readdirSync(join(ROOT, DOCS)).map((name) => join(DOCS, name))];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Files that a page links to, from the root; without their anchors. */
const linksIn = (path: string): string[] =>
  [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) =>
    relative(ROOT, resolve(ROOT, dirname(path), to)),
  );

describe('the README', () => {
  it('can be read in two minutes, and has its commands in its first 40 lines', () => {
    expect(statSync(join(ROOT, 'README.md')).size).toBeLessThan(6_200);
    const first = read('README.md').split('\n').slice(0, 40).join('\n');
    for (const command of ['npm start', 'npm test', 'npx checkpoint-inspector']) expect(first).toContain(command);
  });

  it('links every page of the documents', () => {
    const pages = PAGES.filter((page) => page.startsWith(DOCS));
    expect(pages.filter((page) => !linksIn('README.md').includes(page))).toEqual([]);
  });

  it.each([
    ['What is it?', 'README.md', /See what broke your agent/],
    ['Is my data sent anywhere?', `${DOCS}/privacy.md`, /connects to nothing but/],
    ['Does looking change my store?', `${DOCS}/privacy.md`, /never writes to a store/],
    ['How do I open PostgreSQL?', `${DOCS}/postgres.md`, /env:DATABASE_URL/],
    ['What happens when I restore?', `${DOCS}/changes.md`, /plan, confirm, verify, undo/],
    ['How do I undo?', `${DOCS}/changes.md`, /`undo \[receipt\]`/],
    ['How do I delete for good?', `${DOCS}/changes.md`, /trash purge/],
    ['Which Node do I need?', 'README.md', /Node 20\.19/],
    ['What do I do on Node 20?', `${DOCS}/start.md`, /better-sqlite3@/],
    ['How do I add a system?', 'CONTRIBUTING.md', /## Add a system/],
    ['What does exit code 6 mean?', `${DOCS}/troubleshooting.md`, /unreadable" \(exit code 6\)/],
    ['Which systems can be opened?', `${DOCS}/systems.md`, /\| \[LangGraph\]/],
    ['Why can a checkpoint of Gemini CLI not be deleted?', `${DOCS}/systems.md`, /later checkpoints need the lines/],
    ['How do I save from my own loop?', `${DOCS}/own-agent.md`, /## A plain loop/],
    ['How do I give an agent access?', `${DOCS}/mcp.md`, /claude mcp add/],
    ['What may an agent change?', `${DOCS}/mcp.md`, /becomes a proposal/],
    ['How do I send somebody a case?', `${DOCS}/share.md`, /a bundle/],
    ['Which secrets are masked?', `${DOCS}/privacy.md`, /## Masking/],
    ['What is kept on my disk?', `${DOCS}/privacy.md`, /## What is on your disk/],
    ['Why was my restore refused?', `${DOCS}/troubleshooting.md`, /head_moved/],
    ['How do I name a checkpoint?', `${DOCS}/commands.md`, /\*\*Names\.\*\*/],
    ['How do I compare two runs?', `${DOCS}/compare.md`, /compare <task-a> <task-b>/],
  ])('answers within two clicks: %s', (_, page, answer) => {
    const oneClick = linksIn('README.md');
    const twoClicks = oneClick.filter((path) => path.endsWith('.md') && existsSync(join(ROOT, path))).flatMap(linksIn);
    expect(['README.md', ...oneClick, ...twoClicks]).toContain(page);
    expect(read(page)).toMatch(answer);
  });
});

describe.each(PAGES)('%s', (page) => {
  it('links only to files that exist', () => {
    expect(linksIn(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('shows commands that the program takes', async () => {
    const shown = examplesOf(read(page), 'sh').flatMap(({ code }) => linesOf(code));
    const lines = [
      ...shown,
      ...Array.from(read(page).matchAll(/`((?:npx )?checkpoint-inspector [^`]+)`/g), ([, one = '']) => one),
    ];
    for (const line of lines) {
      const words = wordsOf(line);
      if (words !== undefined) expect([line, await misuseOf(words)]).toEqual([line, undefined]);
    }
  });
});

/** The arguments of a line that starts the program; `undefined` for other lines. */
function wordsOf(line: string): string[] | undefined {
  const command = /^(?:npx (?:-y )?)?checkpoint-inspector\b(?! -y)(.*?)(?:\s+#.*|\s+&)?$/.exec(line.trim())?.[1];
  if (command === undefined || /[…[]/.test(command)) return undefined;
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Why the program refuses the words, before it does anything. */
async function misuseOf(words: readonly string[]): Promise<string | undefined> {
  const program = await createProgram({ version: '0.0.0', output: createOutput([]) });
  for (const verb of program.commands.flatMap((one) => [one, ...one.commands]))
    verb.exitOverride().action(() => undefined);
  const [first = ''] = words;
  const isVerb = program.commands.some((verb) => verb.name() === first);
  const args = isVerb || ['help', '--help'].includes(first) ? words : ['open', ...words];
  return program.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
