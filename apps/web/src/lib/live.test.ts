import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import './streams.ts';
import { createGatherer, startLive, touches } from './live.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How often the history of a task is read again. */
function listen() {
  const client = new QueryClient();
  const read = vi.spyOn(client, 'invalidateQueries').mockResolvedValue();
  const tell = createGatherer(client);
  const rounds = (key: readonly unknown[]): number =>
    read.mock.calls.filter(([filters]) => filters?.predicate?.({ queryKey: key } as never)).length;
  return { rounds, change: (data: object) => tell({ event: 'change', data: JSON.stringify(data) }), tell };
}

const history = ['checkpoints', 'agents', 'run', null];

describe('live changes', () => {
  it('of one task are read soon, many saves at once', async () => {
    const { change, rounds } = listen();
    for (let save = 0; save < 5; save++) change({ store: 'agents', task: 'run' });
    await vi.advanceTimersByTimeAsync(300);
    expect(rounds(history)).toBe(1);
    expect(rounds(['checkpoints', 'agents', 'other', null])).toBe(0);
  });
  it('of a whole store are read once a second at most, and the last one is not lost', async () => {
    const { change, rounds } = listen();
    for (let at = 0; at < 3000; at += 100) {
      change({ store: 'agents' });
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(rounds(history)).toBe(3);
    await vi.advanceTimersByTimeAsync(1100);
    expect(rounds(history)).toBe(4);
    await vi.advanceTimersByTimeAsync(5000);
    expect(rounds(history)).toBe(4);
  });
  it('of everything share that limit, and a task is not held up by it', async () => {
    const { change, rounds, tell } = listen();
    tell({ event: 'stores', data: '' });
    await vi.advanceTimersByTimeAsync(300);
    tell({ event: 'reset', data: '' });
    change({ store: 'agents', task: 'run' });
    await vi.advanceTimersByTimeAsync(300);
    expect(rounds(history)).toBe(2);
    expect(rounds(['activity'])).toBe(1);
  });
  it('of proposals read nothing else again', async () => {
    const { tell, rounds } = listen();
    tell({ event: 'proposal', data: '{"id":"p"}' });
    await vi.advanceTimersByTimeAsync(300);
    expect(rounds(['proposals', 'p'])).toBe(1);
    expect(rounds(history)).toBe(0);
  });
  it('that say nothing change nothing', async () => {
    const { tell, rounds } = listen();
    tell({ event: 'ping', data: '' });
    tell({ event: 'change', data: '{' });
    await vi.advanceTimersByTimeAsync(2000);
    expect(rounds(history)).toBe(0);
  });
});

describe('a save while the page begins', () => {
  /** How often what the page asked for before it listened is asked for, where the last event was so long ago. */
  async function asked(idleMs: number | undefined): Promise<number> {
    const frame = `id: b-1\nevent: ping\ndata: ${JSON.stringify({ idleMs })}\n\n`;
    vi.stubGlobal('fetch', async () => new Response(frame + 'event: ping\ndata: {"idleMs":0}\n\n'));
    const client = new QueryClient();
    const queryFn = vi.fn(() => new Promise((answer) => setTimeout(() => answer('of before'), 100)));
    const stop = new QueryObserver(client, { queryKey: ['lanes', 's', 't'], queryFn }).subscribe(() => undefined);
    const end = startLive(client);
    await vi.advanceTimersByTimeAsync(500);
    end();
    stop();
    vi.unstubAllGlobals();
    return queryFn.mock.calls.length;
  }
  it('is read, though what it touched was still being asked for', async () => {
    await vi.advanceTimersByTimeAsync(5000);
    expect(await asked(1000)).toBe(2);
  });
  it('reads nothing twice if it was before', async () => {
    expect(await asked(1_000_000)).toBe(1);
    expect(await asked(undefined)).toBe(1);
  });
});

describe('what a save touches', () => {
  it('is the task, and nothing that a hash names', () => {
    expect(touches(history, 'agents', 'run')).toBe(true);
    expect(touches(history, 'agents', undefined)).toBe(true);
    expect(touches(history, 'other', 'run')).toBe(false);
    for (const kind of ['state', 'raw', 'views']) {
      expect(touches([kind, 'agents', 'run', '', 'a', 'hash'], 'agents', 'run')).toBe(false);
      expect(touches([kind, 'agents', 'run', '', 'a', null], 'agents', 'run')).toBe(true);
    }
  });
});
