import { expect, it } from 'vitest';
import { roomOf } from './ActionBar.tsx';

it('moves acts out of the line one by one as it gets shorter', () => {
  expect([700, 560, 520, 406, 368].map(roomOf)).toEqual(['keys', 'words', 'icon', 'menu', 'phone']);
});
