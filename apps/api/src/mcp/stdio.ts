/** MCP over a pair of streams: one client, one line per message. */
import { Readable, type Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { InspectorError } from '@checkpoint-inspector/core';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { PARSE_ERROR, readMessage } from './exact.ts';
import { createMcpServer, type McpDeps } from './server.ts';

export interface Streams {
  readonly input: AsyncIterable<Uint8Array | string>;
  readonly output: Writable;
}

export const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** A line is written again with its state as quoted text, which may be some times longer. */
const MAX_BUFFER_BYTES = 8 * MAX_LINE_BYTES;

/**
 * Serves one client until its stream ends; running calls are answered first.
 * @throws InspectorError too_large for a line of more than 8 MiB
 */
export async function serveStdio(deps: McpDeps, { input, output }: Streams): Promise<void> {
  const { mcp, settled } = createMcpServer(deps);
  const lines = Readable.from(messagesOf({ input, output }), { objectMode: false });
  const ended = new Promise<void>((resolve, reject) => {
    lines.once('end', resolve);
    lines.once('error', reject);
    output.once('error', () => resolve()); // the client is gone
  });
  await mcp.connect(new StdioServerTransport(lines, output, { maxBufferSize: MAX_BUFFER_BYTES }));
  try {
    await ended;
    await turn(); // the last message has reached its handler
    await settled();
    await turn(); // and its answer the stream
  } finally {
    await mcp.close();
    lines.destroy();
  }
}

async function* messagesOf({ input, output }: Streams): AsyncGenerator<Buffer> {
  for await (const line of linesOf(input)) {
    const message = line.trim() === '' ? undefined : exactLine(line);
    if (message !== undefined) yield Buffer.from(`${message}\n`);
    else if (line.trim() !== '') output.write(`${JSON.stringify(PARSE_ERROR)}\n`);
  }
}

function exactLine(line: string): string | undefined {
  try {
    return JSON.stringify(readMessage(line));
  } catch {
    return undefined;
  }
}

async function* linesOf(input: Streams['input']): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    let rest = Buffer.from(chunk as Uint8Array);
    for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
      yield Buffer.concat([...parts, rest.subarray(0, at)]).toString('utf8');
      parts = [];
      size = 0;
      rest = rest.subarray(at + 1);
    }
    parts.push(rest);
    size += rest.length;
    if (size > MAX_LINE_BYTES)
      throw new InspectorError('too_large', `Message too large (limit ${MAX_LINE_BYTES} bytes).`);
  }
  if (size > 0) yield Buffer.concat(parts).toString('utf8');
}
