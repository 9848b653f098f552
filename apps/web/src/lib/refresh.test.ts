import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { refresh } from './queries.ts';

it('reads the history first, and then nothing that it holds no more', async () => {
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
