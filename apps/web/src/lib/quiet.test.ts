// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenQuiet } from './queries.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('waits until what was asked for is there, and runs once', async () => {
  const client = new QueryClient();
  const run = vi.fn();
  whenQuiet(client, [run]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(run, 'nothing was asked for yet').not.toHaveBeenCalled();
  let answer: (text: string) => void = () => undefined;
  const asked = client.fetchQuery({
    queryKey: ['tasks'],
    queryFn: () => new Promise<string>((done) => (answer = done)),
  });
  await vi.advanceTimersByTimeAsync(5000);
  expect(run, 'the answer is not there yet').not.toHaveBeenCalled();
  answer('tasks');
  await asked;
  await vi.advanceTimersByTimeAsync(5000);
  expect(run).toHaveBeenCalledOnce();
  await client.fetchQuery({ queryKey: ['stores'], queryFn: async () => 'stores' });
  await vi.advanceTimersByTimeAsync(5000);
  expect(run).toHaveBeenCalledOnce();
});

it('is undone', async () => {
  const client = new QueryClient();
  client.setQueryData(['tasks'], []);
  const run = vi.fn();
  whenQuiet(client, [run])();
  await vi.advanceTimersByTimeAsync(5000);
  expect(run).not.toHaveBeenCalled();
});
