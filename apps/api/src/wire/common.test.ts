import { expect, it } from 'vitest';
import { checkpointParams } from './common.ts';

it('a store id that cannot be one is told as such', () => {
  const refused = checkpointParams.safeParse({ store: 'A', id: 'x' });
  expect(refused.error?.issues[0]?.message).toContain('a store id can only contain');
});
