import { createMeter } from '@checkpoint-inspector/api';
import { openSession } from '../session.ts';

export interface McpOptions {
  readonly readOnly?: boolean;
  readonly keyFile?: string;
}

export interface McpRun {
  readonly targets: readonly string[];
  readonly options: McpOptions;
  readonly version: string;
}

/** Serves the checkpoint tools to one client over standard input and output, until it closes its end. */
export async function mcp({ targets, options, version }: McpRun): Promise<void> {
  const { readOnly = false, ...keys } = options;
  // Nothing is restored or deleted from here, so no change is ended on start either.
  const session = await openSession(targets, { ...keys, readOnly: true });
  try {
    const { serveStdio } = await import('@checkpoint-inspector/api/mcp');
    const deps = { stores: session.stores, status: { version, readOnly }, meter: createMeter() };
    await serveStdio(deps, { input: process.stdin, output: process.stdout });
  } finally {
    process.stdin.destroy();
    await session.close();
  }
}
