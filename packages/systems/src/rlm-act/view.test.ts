import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixture, type Fixture } from './fixtures/open.ts';
import { errorOf, stepsOf } from './view.ts';

const read = (name: Fixture, id: string) => readFile(join(fixture(name), `${id}.json`), 'utf8');

it('shows phases, errors and artifacts of a Python checkpoint', async () => {
  const state = await read('python-new-york', 'b805fffe-a626-451d-a4b7-83a170321c11');
  expect(stepsOf(state).map(({ name, status }) => [name, status])).toEqual([
    ['research', 'done'],
    ['decomposition', 'done'],
    ['tdd_planning', 'failed'],
    ['multi_doc', 'pending'],
    ['beads_sync', 'pending'],
    ['implementation', 'pending'],
  ]);
  expect(stepsOf(state)[0]).toMatchObject({ startedAt: '2026-11-21T08:29:44.779667', durationSeconds: '0.004092' });
  expect(stepsOf(state)[2]).not.toHaveProperty('durationSeconds');
  expect(errorOf(state)).toBe("[Errno 21] Is a directory: '/x/ü'");
  expect(stepsOf(state).flatMap(({ artifacts }) => artifacts)).toEqual([
    'thoughts/research-文档.md',
    'thoughts/decomposition-文档.md',
  ]);
});

it('shows a Go checkpoint the same way', async () => {
  const state = await read('go', 'cf25c025-8865-4754-b506-37cfcab48025');
  expect(stepsOf(state)[3]).toMatchObject({
    name: 'multi_doc',
    status: 'failed',
    errors: ['exit <1> & "quoted"', 'второй'],
  });
  expect(errorOf(state)).toBe('exit <1> & "quoted"\nвторой');
});

it('takes any other shape without failing', async () => {
  expect(stepsOf(await read('go', '919fa658-85c6-439c-8c09-e644f3c36d2b')).map((step) => step.status)).toEqual(
    Array.from({ length: 6 }, () => 'pending'),
  );
  expect(
    stepsOf('{"phase": "research-skipped", "state": {"phase_results": {"own": {"status": "in_progress"}}}}'),
  ).toMatchObject([
    { status: 'skipped' },
    {},
    {},
    {},
    {},
    {},
    { name: 'own', status: 'running', artifacts: [], errors: [] },
  ]);
  expect([errorOf('[]'), errorOf('{"errors": ["", 1]}')]).toEqual([undefined, undefined]);
});
