// @vitest-environment jsdom
import { createMemoryHistory } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import { createQueryClient } from '../lib/queries.ts';
import { createAppRouter } from './router.tsx';

const routerAt = (address: string) =>
  createAppRouter(createQueryClient(), createMemoryHistory({ initialEntries: [address] }));

describe('addresses', () => {
  it.each(['plain', '', '.', '..', '~x', 'a/b', 'ü ?#&%25', '%2F', '../../etc', 'c:\\x', '日本'])(
    'a task called %j comes back',
    async (task) => {
      const router = routerAt('/tasks');
      await router.navigate({
        to: '/t/$store/$task',
        params: { store: 's', task },
        search: { cp: 'x/y', path: '$.a[0]' },
      });
      const again = routerAt(router.state.location.href);
      await again.load();
      const match = again.state.matches.at(-1);
      expect(match?.params).toMatchObject({ store: 's', task });
      expect(match?.search).toMatchObject({ cp: 'x/y', path: '$.a[0]' });
    },
  );
  it('a permalink holds any id', async () => {
    const router = routerAt('/tasks');
    await router.navigate({ to: '/c/$store/$checkpoint', params: { store: 's', checkpoint: '.a/b' } });
    expect(router.state.location.pathname).toContain('/c/s/~.a%2Fb');
  });
  it('home leads to the tasks', async () => {
    const router = routerAt('/');
    await router.load();
    expect(router.state.location.pathname).toBe('/tasks');
  });
});
