import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEventHub } from './events.ts';

type Stream = ReadableStream<Uint8Array>;

/** Reads until `count` frames are there. */
async function frames(stream: Stream, count: number): Promise<string[]> {
  const reader = stream.getReader();
  let text = '';
  while (text.split('\n\n').length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  await reader.cancel();
  return text.split('\n\n').filter((frame) => frame !== '');
}

afterEach(() => vi.useRealTimers());

describe('event hub', () => {
  it('tells a new reader its place and how long ago the last event was, then what happens', async () => {
    vi.useFakeTimers();
    const hub = createEventHub({ boot: 'b' });
    expect(await frames(hub.stream(), 1)).toEqual(['id: b-0\nevent: ping\ndata: {}']);
    hub.publish('stores', {});
    vi.advanceTimersByTime(1500);
    const stream = hub.stream();
    hub.publish('change', { store: 's', task: 't' });
    expect(await frames(stream, 2)).toEqual([
      'id: b-1\nevent: ping\ndata: {"idleMs":1500}',
      'id: b-2\nevent: change\ndata: {"store":"s","task":"t"}',
    ]);
  });

  it('gives a reader that comes back what it missed', async () => {
    const hub = createEventHub({ boot: 'b' });
    for (const task of ['1', '2', '3']) hub.publish('change', { store: 's', task });
    const [place, ...events] = await frames(hub.stream('b-1'), 3);
    expect(place).toContain('id: b-1\nevent: ping');
    expect(events.map((event) => event.split('\n')[0])).toEqual(['id: b-2', 'id: b-3']);
    expect(await frames(hub.stream('b-3'), 1)).toEqual(['id: b-3\nevent: ping\ndata: {}']);
  });

  it.each(['old-1', 'b-0', 'b-99', 'nonsense', '', 'b-1e3', 'b-1\nevent: pwn'])('answers reset to %j', async (id) => {
    const hub = createEventHub({ boot: 'b', keep: 2 });
    for (const task of ['1', '2', '3', '4']) hub.publish('change', { store: 's', task });
    expect(await frames(hub.stream(id), 1)).toEqual(['id: b-4\nevent: reset\ndata: {}']);
  });

  it('S50 cannot be made to forge a field', async () => {
    const hub = createEventHub({ boot: 'b' });
    const stream = hub.stream();
    hub.publish('change', { store: 's', task: 'x\r\n\r\nevent: pwn\ndata: {}\n\u2028' });
    const [, event] = await frames(stream, 2);
    expect(event?.split(/\r\n|\r|\n/)).toHaveLength(3);
    expect(event).not.toMatch(/^event: pwn/m);
  });

  it('S49 drops a reader that never reads, and keeps the others', async () => {
    const hub = createEventHub({ queueBytes: 500 });
    const slow = hub.stream();
    const quick = hub.stream().getReader();
    for (let n = 0; n < 20; n++) {
      hub.publish('change', { store: 's', task: 'a task with a longer name' });
      await quick.read();
    }
    expect(hub.size).toBe(1);
    await expect(slow.getReader().closed).rejects.toThrow('too slow');
    await quick.cancel();
    expect(hub.size).toBe(0);
  });

  it('pings while somebody listens', async () => {
    vi.useFakeTimers();
    const hub = createEventHub({ pingMs: 1000 });
    expect(vi.getTimerCount()).toBe(0);
    const reader = hub.stream().getReader();
    await reader.read();
    vi.advanceTimersByTime(1000);
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('event: ping\ndata: {}\n\n');
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends every stream when it closes', async () => {
    const hub = createEventHub();
    const reader = hub.stream().getReader();
    await reader.read();
    hub.close();
    expect((await reader.read()).done).toBe(true);
    expect(hub.size).toBe(0);
  });
});
