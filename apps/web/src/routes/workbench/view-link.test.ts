import { expect, it } from 'vitest';
import { viewLink } from '../../features/copy/use-copies.ts';

it('keeps the whole view, and names the checkpoint that is there only as the latest', () => {
  const view = 'http://127.0.0.1:4600/t/a/b?cp=c1&view=state&path=%24.x';
  expect(viewLink(view, { id: 'other' })).toBe(view);
  expect(viewLink('http://127.0.0.1:4600/t/a/b?view=raw', { id: 'c/2' })).toBe(
    'http://127.0.0.1:4600/t/a/b?view=raw&cp=c%2F2',
  );
});
