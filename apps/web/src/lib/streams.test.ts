import { describe, expect, it } from 'vitest';
import { touches } from './live.ts';
import { readEvents, readLines } from './streams.ts';

async function read(parts: readonly (string | Uint8Array)[]) {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part);
      controller.close();
    },
  });
  const events = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

describe('readEvents', () => {
  it('reads id, name and data', async () => {
    expect(await read(['id: b-1\nevent: change\ndata: {"store":"s"}\n\n'])).toEqual([
      { id: 'b-1', event: 'change', data: '{"store":"s"}' },
    ]);
  });
  it('joins parts wherever they are cut, line ends and characters included', async () => {
    const bytes = new TextEncoder().encode('data: ä\r\ndata: b\r\n\r\nevent: ping\r\ndata:\r\n\r\n');
    const single = Array.from(bytes, (byte) => new Uint8Array([byte]));
    expect(await read(single)).toEqual([
      { event: 'message', data: 'ä\nb' },
      { event: 'ping', data: '' },
    ]);
  });
  it('ignores comments and an unfinished end', async () => {
    expect(await read([': hello\n\n', 'data: lost'])).toEqual([]);
  });
});

describe('touches', () => {
  it('names what a save may have changed', () => {
    expect(touches(['tasks', {}], 's', 't')).toBe(true);
    expect(touches(['tree', 's', 't'], 's', 't')).toBe(true);
    expect(touches(['tree', 's', 'other'], 's', 't')).toBe(false);
    expect(touches(['tree', 's', 'other'], 's', undefined)).toBe(true);
    expect(touches(['diff', 'x/t/a', 's/t/b', null], 's', 't')).toBe(true);
    expect(touches(['diff', 'store/t/a', 'store/t/b', null], 's', 't')).toBe(false);
  });
  it('keeps a state that is known by its hash', () => {
    expect(touches(['state', 's', 't', '', 'a', 'hash'], 's', 't')).toBe(false);
    expect(touches(['state', 's', 't', '', 'a', null], 's', 't')).toBe(true);
  });
});

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
