import { SYSTEM } from '../own-system.ts';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '@checkpoint-inspector/api';
import { compileLess } from '../compiling.ts';
import { KEY_FILE, NAME, type Verbs } from '../verbs.ts';
import { parseGrant, type Inspector } from '@checkpoint-inspector/inspector';
import { besideCommand, openWorkspace } from '../workspace.ts';

interface McpOptions {
  readonly readOnly?: boolean;
  readonly keyFile?: string;
  readonly reveal?: boolean;
  readonly open: boolean;
  readonly grant?: readonly string[];
}

export function addMcp(verbs: Verbs): void {
  verbs
    .add('mcp [target...]', {
      group: 'open',
      about: 'serve tools for debugging and checkpoints to an agent over standard input and output (MCP)',
      examples: ['mcp ./checkpoints.sqlite', 'mcp ./checkpoints.sqlite --read-only'],
    })
    .option('--read-only', 'no saving, and no proposals')
    .option('--reveal', 'return secrets unmasked; default: known kinds are masked')
    .option(
      '--no-open',
      'print a link to a proposal, which works once, to standard error instead of opening the browser',
    )
    .option(
      '--grant <spec...>',
      'what the agent may do beyond its own tasks: stores=demo,tasks=run-*,may=read+save+propose,until=2h',
    )
    .option('--key-file <path>', KEY_FILE)
    .option(...SYSTEM)
    .action((targets: string[], options: McpOptions) => mcp(targets, options, verbs));
}

/** Serves the tools to one client over standard input and output, until it closes its end. */
async function mcp(
  targets: readonly string[],
  { readOnly = false, reveal = false, open, grant: grants = [], ...keys }: McpOptions,
  { output, version }: Verbs,
): Promise<void> {
  compileLess();
  for (const grant of grants) parseGrant(grant);
  // Nothing is changed before a person applies a proposal, so no change is ended on start either.
  const workspace = await openWorkspace(targets, { ...keys, readOnly, recover: false }, output);
  const inspector = await workspace.inspector();
  const page = createPage({ inspector, version, reveal, opens: open, note: (line) => output.note(line) });
  try {
    const { serveStdio } = await import('@checkpoint-inspector/api/mcp');
    const deps = { inspector, status: { version, readOnly }, reveal, page: page.show, grants };
    await serveStdio(deps, { input: process.stdin, output: process.stdout });
  } finally {
    process.stdin.destroy();
    await page.close();
    await workspace.close();
  }
}

interface PageOptions {
  readonly inspector: Inspector;
  readonly version: string;
  readonly reveal: boolean;
  /** Opens the browser; else the link is told with `note`. */
  readonly opens: boolean;
  readonly note: (line: string) => void;
}

/**
 * The page, served by this process from the first proposal on. The agent gets a link without the token: with it, it
 * could apply its own proposals. The person's browser is let in by a code that works once.
 */
function createPage({ inspector, version, reveal, opens, note }: PageOptions) {
  let started: Promise<RunningServer> | undefined;
  const start = async (): Promise<RunningServer> => {
    const { serve } = await import('@checkpoint-inspector/api');
    return serve({
      inspector,
      status: { version, readOnly: false, demo: false, pid: process.pid, startedAt: new Date().toISOString() },
      shell: fileURLToPath(besideCommand('web')),
      port: 0,
      revealOverMcp: reveal,
    });
  };
  return {
    async show(path: string) {
      started ??= start();
      const server = await started;
      const link = server.url + path;
      if (opens && canOpen() && (await openedIn(server.oneTimeUrl('origin', path)))) return { link, isOpened: true };
      // Hosts keep what is printed here: the code works once, within a minute, and the command at any time.
      note(`Proposal: ${server.oneTimeUrl('origin', path)}`);
      note(`The link works once, within a minute. Later, or when this has ended: ${NAME} proposals`);
      return { link };
    },
    close: async () => (await started?.catch(() => undefined))?.close(),
  };
}

/** Without a screen, as over SSH, nobody would see the browser. */
function canOpen(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined;
}

async function openedIn(url: string): Promise<boolean> {
  try {
    const { default: openInBrowser } = await import('open');
    await openInBrowser(url);
    return true;
  } catch {
    return false;
  }
}
