import { expect, it } from 'vitest';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';
import { runComparisonSchema } from '../wire/index.ts';
import { testApp } from '../testing/app.ts';

async function compared(a: string, b: string) {
  const { ask } = await testApp({}, await seededStore());
  return ask(`/api/compare?${new URLSearchParams({ a, b }).toString()}`);
}

it('compares a branch with the latest of a task', async () => {
  const answer = await compared('memory/run-1/cp-2', 'memory/run-1');
  const { rows, first, a, b } = runComparisonSchema.parse(await answer.json());
  expect(rows.map(({ verdict }) => verdict)).toEqual(['same', 'same', 'only-b']);
  expect([a.end.id, b.end.id, first?.difference?.path]).toEqual(['cp-2', 'cp-3', '$.n']);
});

it.each([
  ['memory/run-1/nothing', 404],
  ['memory/nothing', 404],
  ['elsewhere/run-1', 404],
  ['memory', 400],
  ['memory/%', 400],
])('refuses %s', async (address, status) => {
  expect((await compared('memory/run-1', address)).status).toBe(status);
});
