import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_LINE_BYTES, serveStdio } from './stdio.ts';
import { mcpDeps } from './testing/deps.ts';
import { nativeStores } from './testing/native.ts';

let place: Awaited<ReturnType<typeof nativeStores>>;
beforeAll(async () => {
  place = await nativeStores('agent');
});
afterAll(() => place.remove());

/** Writes all at once, ends the input, and gives back what was answered until then. */
async function talk(text: string | readonly Uint8Array[]): Promise<unknown[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let answered = '';
  output.on('data', (chunk: Buffer) => (answered += chunk.toString()));
  const done = serveStdio(mcpDeps(place.stores), { input, output });
  for (const chunk of typeof text === 'string' ? [text] : text) input.write(chunk);
  input.end();
  await done;
  return answered
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

const line = (id: number, method: string, params: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`;
const hello = line(
  0,
  'initialize',
  '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}',
);
const saveLine = (state: string) =>
  line(1, 'tools/call', `{"name":"checkpoint_save","arguments":{"sessionId":"pipe","state":${state}}}`);
const loadLine = line(2, 'tools/call', '{"name":"checkpoint_load","arguments":{"sessionId":"pipe"}}');

describe('MCP over streams', () => {
  it('answers everything before it ends, the state as it was written', async () => {
    const state = '{ "big": 12345678901234567890, "é": 1.0 }';
    const answers = await talk(hello + saveLine(state));
    expect(answers).toMatchObject([{ id: 0 }, { id: 1, result: { content: [{ type: 'text' }] } }]);
    const [, loaded] = await talk(hello + loadLine);
    expect(JSON.stringify(loaded)).toContain(JSON.stringify(`"state":${state}`).slice(1, -1));
  });

  it('puts messages together that come in pieces, within a character too', async () => {
    const bytes = Buffer.from(hello + saveLine('{"é":"ü"}'));
    const answers = await talk(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(answers).toMatchObject([{ id: 0 }, { id: 1 }]);
  });

  it('answers a line that is not JSON with a parse error, and continues', async () => {
    const answers = await talk(`${hello}\n{"state":NaN}\n\r\n${loadLine}`);
    expect(answers).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
    );
    expect(answers).toContainEqual(expect.objectContaining({ id: 2, result: expect.anything() }));
  });

  it('ends with a named error at a line without end', async () => {
    const pieces = Array.from({ length: 9 }, () => Buffer.alloc(MAX_LINE_BYTES / 8, 'x'));
    await expect(talk(pieces)).rejects.toMatchObject({ code: 'too_large' });
  });
});
