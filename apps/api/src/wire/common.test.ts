import { z } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import { atOnce, checkpointParams } from './common.ts';

it('what is validated at once is told as it would be otherwise', async () => {
  const plain = z.object({ n: z.string().transform(Number) });
  const schema = atOnce(z.object({ n: z.string().transform(Number) }));
  for (const given of [{ n: '7' }, { n: 7 }, {}]) {
    const [one, other] = [await schema.safeParseAsync(given), await plain.safeParseAsync(given)];
    expect(one.data).toEqual(other.data);
    expect(one.error?.issues).toEqual(other.error?.issues);
  }
  const refused = await checkpointParams.safeParseAsync({ store: 'A', id: 'x' });
  expect(refused.error?.issues[0]?.message).toContain('a store id can only contain');
});
