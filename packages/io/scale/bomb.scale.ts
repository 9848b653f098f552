import { gzipSync } from 'node:zlib';
import { memoryGrowth } from '@checkpoint-inspector/config/measure';
import { expect, it } from 'vitest';
import { gunzipBounded } from '../src/files/index.ts';

it('a bomb of 2 GiB is stopped before it takes 300 MiB', async () => {
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
  const bomb = Buffer.concat(Array.from({ length: 32 }, () => zeros));
  const grown = await memoryGrowth(() => expect(gunzipBounded(bomb)).rejects.toMatchObject({ code: 'too_large' }));
  expect(grown).toBeLessThan(300 * 1024 * 1024);
});
