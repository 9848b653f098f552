import { QueryClient } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../lib/api.ts';
import { KEY_GROUPS } from '../shell/key-sheet.ts';
import { LAST_SCENE, sceneOf, widened } from '../../lib/presenting.ts';
import { resetDemo, SCENES } from './scenes.ts';

describe('the scenes', () => {
  it('are seven, each with words for the audience and numbers for the presenter', () => {
    expect(SCENES).toHaveLength(LAST_SCENE);
    for (const { title, say, to, expect: numbers } of SCENES) {
      expect(title.length).toBeLessThan(40);
      expect(say.split(/(?<=\.) /).length).toBeLessThanOrEqual(3);
      expect(say).not.toMatch(/ckpt|JSON|!/);
      expect(to).toMatch(/^\//);
      expect(numbers.length).toBeGreaterThan(0);
    }
  });

  it('name only keys that the sheet has', () => {
    const sheet = new Set(KEY_GROUPS.flatMap(({ lines }) => lines.flatMap(({ keys }) => keys)));
    for (const { keys } of SCENES)
      for (const key of keys.flatMap((line) => line.keys)) if (key !== 'Tab') expect(sheet).toContain(key);
  });
});

describe('presenting', () => {
  it('begins at a scene that is there', () => {
    expect(['1', '7', '8', '0', 'x', '', null].map(sceneOf)).toEqual([1, 7, ...Array.from({ length: 5 })]);
  });

  it('counts with less room, as everything is larger', () => {
    expect(widened('(min-width: 1180px)')).toBe('(min-width: 1593px)');
    expect(widened('(prefers-reduced-motion: reduce)')).toBe('(prefers-reduced-motion: reduce)');
  });
});

describe('a reset', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('asks for no checkpoint before the history after it is read: it may be gone', async () => {
    const client = new QueryClient();
    client.setQueryData(['tree', 'research-db', 'old'], 'of before');
    const asked: string[] = [];
    let answer: () => void = () => undefined;
    vi.stubGlobal('fetch', (input: string) => {
      const { pathname } = new URL(input, 'http://127.0.0.1');
      asked.push(pathname);
      const isReset = pathname === '/api/demo/reset';
      const response = new Response(isReset ? null : '{}', { status: isReset ? 204 : 200 });
      return isReset ? new Promise((resolve) => (answer = () => resolve(response))) : Promise.resolve(response);
    });
    const left = vi.fn();
    const done = resetDemo(client, left);
    expect(left).toHaveBeenCalledTimes(1);
    // A page that isn't left yet goes on to what it shows last.
    const beside = api.beside({ store: 'research-db', task: 'old', id: 'restored' });
    await vi.waitFor(() => expect(asked).toEqual(['/api/demo/reset']));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(asked).toEqual(['/api/demo/reset']);
    answer();
    await Promise.all([done, beside]);
    expect(asked).toEqual(['/api/demo/reset', '/api/stores/research-db/checkpoints/restored/beside']);
    expect(client.getQueryData(['tree', 'research-db', 'old'])).toBeUndefined();
  });
});
