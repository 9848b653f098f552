import { openWorkspace } from '../workspace.ts';
import { KEY_FILE } from '../verbs.ts';
import type { Verbs } from '../verbs.ts';

interface McpOptions {
  readonly readOnly?: boolean;
  readonly keyFile?: string;
  readonly reveal?: boolean;
}

interface McpRun {
  readonly targets: readonly string[];
  readonly options: McpOptions;
  readonly version: string;
}

export function addMcp(verbs: Verbs): void {
  verbs
    .add('mcp [target...]', {
      group: 'open',
      about: 'offer checkpoint tools to an agent, over standard input and output (MCP)',
      examples: ['mcp ./checkpoints.sqlite', 'mcp ./checkpoints.sqlite --read-only'],
    })
    .option('--read-only', 'offer no saving')
    .option('--reveal', 'hand out secrets of known shapes as they are stored; default: masked')
    .option('--key-file <path>', KEY_FILE)
    .action((targets: string[], options: McpOptions) => mcp({ targets, options, version: verbs.version }));
}

/** Serves the checkpoint tools to one client over standard input and output, until it closes its end. */
async function mcp({ targets, options, version }: McpRun): Promise<void> {
  const { readOnly = false, reveal = false, ...keys } = options;
  // Nothing is restored or deleted from here, so no change is ended on start either.
  const workspace = await openWorkspace(targets, { ...keys, readOnly: true });
  try {
    const { serveStdio } = await import('@checkpoint-inspector/api/mcp');
    const deps = { stores: workspace.stores, status: { version, readOnly }, meter: workspace.meter, reveal };
    await serveStdio(deps, { input: process.stdin, output: process.stdout });
  } finally {
    process.stdin.destroy();
    await workspace.close();
  }
}
