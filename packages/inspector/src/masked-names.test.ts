/** Names that look the same once they are masked. */
import { InspectorError, MemoryStore } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { unmasked } from './masked-names.ts';
import { createMasking } from './sharing.ts';

/** The digits of a pseudonym are few, so two of some thousand secrets share them. */
function lookAlikes(shown: (name: string) => string): readonly [string, string] {
  const seen = new Map<string, string>();
  for (let n = 0; n < 20_000; n++) {
    const name = `deploy ghp_${String(n).padStart(6, '0')}${'a1B2'.repeat(6)}`;
    const before = seen.get(shown(name));
    if (before !== undefined) return [before, name];
    seen.set(shown(name), name);
  }
  throw new Error('No two of them look the same.');
}

it('of two tasks are refused, with what tells them apart, until one is left', async () => {
  const masker = createMasking().masker();
  const [one, other] = lookAlikes(masker.text);
  const store = new MemoryStore();
  await store.save({ task: one, id: 'a', text: '{}' });
  for (const id of ['b', 'c']) await store.save({ task: other, id, text: '{}' });
  const name = masker.text(one);
  const refused = await unmasked(name, [store], masker).catch((error: unknown) => InspectorError.from(error));
  expect(refused).toMatchObject({
    code: 'ambiguous_id',
    data: {
      candidates: expect.arrayContaining([
        expect.stringContaining('(1 checkpoints'),
        expect.stringContaining('(2 checkpoints'),
      ]),
    },
  });
  expect(JSON.stringify(refused)).not.toContain('a1B2');

  const alone = new MemoryStore();
  await alone.save({ task: other, id: 'b', text: '{}' });
  expect(decodeURIComponent(await unmasked(name, [alone], masker))).toBe(`${alone.info.id}/${other}`);
});
