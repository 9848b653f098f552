import { expect, it } from 'vitest';
import { readLines } from './ndjson.ts';

const streamOf = (parts: readonly Uint8Array[], onCancel: () => void = () => undefined): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
    cancel: onCancel,
  });

it('joins lines that come in parts, split characters too, and takes a last line without an end', async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}\n{"b":1}\n\n{"c":2}');
  const parts = [...bytes].map((byte) => Uint8Array.of(byte));
  const found: unknown[] = [];
  for await (const lines of readLines(streamOf(parts))) found.push(...lines);
  expect(found).toEqual([{ a: 'é' }, { b: 1 }, { c: 2 }]);
});

it('lets the stream go when its reader does', async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('1\n')),
    cancel: () => void (cancelled = true),
  });
  for await (const lines of readLines(body)) if (lines.length > 0) break;
  expect(cancelled).toBe(true);
});
