import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { changing, refresh, untilUnchanging } from './refresh.ts';

it('reads the history first, and then nothing that no longer exists', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 1e6 } } });
  const asked: string[] = [];
  const watch = (kind: string) =>
    new QueryObserver(client, {
      queryKey: [kind, 's', 't'],
      queryFn: () => {
        asked.push(kind);
        return kind;
      },
    });
  const stops = new Map(
    ['checkpoint', 'checkpoints', 'tree', 'diff'].map((kind) => [kind, watch(kind).subscribe(() => undefined)]),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  asked.length = 0;
  const done = refresh(client);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(asked.toSorted()).toEqual(['checkpoints', 'tree']);
  // The screen saw that the checkpoint is gone.
  stops.get('checkpoint')?.();
  await done;
  expect(asked.slice(2)).toEqual(['diff']);
});

/** Everything that has been promised so far. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('asks for no checkpoint while a change is made, nor before the history after it', async () => {
  const client = new QueryClient();
  const asked: string[] = [];
  const ask = (url: string): void => void untilUnchanging(url).then(() => asked.push(url));
  let made: () => void = () => undefined;
  const change = changing(client, () => new Promise<void>((resolve) => (made = resolve)));
  // What began before the change says nothing about what is there after it.
  const before = refresh(client);
  for (const url of [
    '/api/stores/s/checkpoints/c',
    '/api/diff?a=c',
    '/api/stores/s/tasks/t/history?cp=c',
    '/api/stores',
  ])
    ask(url);
  await before;
  expect(asked).toEqual(['/api/stores']);
  made();
  await change;
  await settled();
  expect(asked).toEqual(['/api/stores']);
  await refresh(client);
  expect(asked).toHaveLength(4);
  await untilUnchanging('/api/diff?a=c');
});

it('waits for the history that a later refresh reads, as that one cancels its own', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 1e6 } } });
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['checkpoints', 's', 't'],
    queryFn: () => new Promise<string>((resolve) => answers.push(() => resolve('read'))),
  });
  observer.subscribe(() => undefined);
  answers.shift()?.();
  await settled();
  await changing(client, () => Promise.resolve());
  const asked: string[] = [];
  void untilUnchanging('/api/diff?a=c').then(() => asked.push('diff'));
  const receipt = refresh(client);
  await settled();
  const live = refresh(client);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(answers).toHaveLength(2);
  expect(asked).toEqual([]);
  answers[1]?.();
  await Promise.all([receipt, live]);
  expect(asked).toEqual(['diff']);
});

it('asks again by itself after a change that failed', async () => {
  const client = new QueryClient();
  await expect(changing(client, () => Promise.reject(new Error('busy')))).rejects.toThrow('busy');
  await untilUnchanging('/api/diff?a=c');
});

it('reads once more what was being read for the first time: that answer may be from before', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 1e6 } } });
  const answers: ((said: string) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['trash'],
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  const stop = observer.subscribe(() => undefined);
  await settled();
  const done = refresh(client);
  await new Promise((resolve) => setTimeout(resolve, 60));
  answers[0]?.('before');
  await settled();
  expect(answers).toHaveLength(2);
  answers[1]?.('after');
  await done;
  expect(client.getQueryData(['trash'])).toBe('after');
  stop();
});

/** A history on the screen whose answers come when the test says. */
function watchHistory(client: QueryClient, task: string) {
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['checkpoints', 's', task],
    queryFn: () => new Promise<string>((resolve) => answers.push(() => resolve('read'))),
  });
  return { answers, stop: observer.subscribe(() => undefined) };
}

it('waits for the history after the last change: what a round of before it reads may be of before it', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 1e6 } } });
  const { answers, stop } = watchHistory(client, 't');
  answers.shift()?.();
  await settled();
  await changing(client, () => Promise.resolve('restored'));
  const afterRestore = refresh(client);
  // Undone at once, before the page has read what the restore left.
  await changing(client, () => Promise.resolve('undone'));
  const asked: string[] = [];
  void untilUnchanging('/api/stores/s/tasks/t/history?cp=restored').then(() => asked.push('history'));
  answers.shift()?.();
  await afterRestore;
  expect(asked).toEqual([]);
  const afterUndo = refresh(client);
  await settled();
  answers.shift()?.();
  await afterUndo;
  expect(asked).toEqual(['history']);
  stop();
});

it('lets nothing go for a round that leaves out a history on the screen', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 1e6 } } });
  const { answers, stop } = watchHistory(client, 't');
  answers.shift()?.();
  await settled();
  await changing(client, () => Promise.resolve());
  const asked: string[] = [];
  void untilUnchanging('/api/diff?a=c').then(() => asked.push('diff'));
  await refresh(client, ([kind]) => kind === 'proposals');
  await refresh(client, ([, , task]) => task === 'another');
  expect(asked).toEqual([]);
  const whole = refresh(client);
  await settled();
  answers.shift()?.();
  await whole;
  expect(asked).toEqual(['diff']);
  stop();
});

it('forgets the history of pages to come back to once a change is made, and keeps it after a save', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 1e6 } } });
  for (const kind of ['checkpoints', 'tree', 'lanes', 'state']) client.setQueryData([kind, 's', 't'], 'of before');
  const kept = () => ['checkpoints', 'tree', 'lanes', 'state'].filter((kind) => client.getQueryData([kind, 's', 't']));
  await refresh(client);
  expect(kept()).toEqual(['checkpoints', 'tree', 'lanes', 'state']);
  await changing(client, () => Promise.resolve());
  await refresh(client);
  expect(kept()).toEqual(['state']);
});

it('ends the reading of a checkpoint for a change, and not that of a name, which its proof says', async () => {
  const client = new QueryClient();
  const signals = new Map<string, AbortSignal>();
  const stops = ['checkpoint', 'find'].map((kind) =>
    new QueryObserver(client, {
      queryKey: [kind, 's', 'c'],
      queryFn: ({ signal }) => {
        signals.set(kind, signal);
        return new Promise<string>(() => undefined);
      },
    }).subscribe(() => undefined),
  );
  await changing(client, () => Promise.resolve());
  expect([signals.get('checkpoint')?.aborted, signals.get('find')?.aborted]).toEqual([true, false]);
  for (const stop of stops) stop();
  await refresh(client);
});
