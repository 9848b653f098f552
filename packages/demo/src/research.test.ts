import { MemoryStore, suspectsOf, type DiagnosedStep } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { RESEARCH_TASK, seedResearch } from './research.ts';

it('blames the figure from the cache for the failure of the story', async () => {
  const store = new MemoryStore();
  await seedResearch(store, new Date('2026-03-01T10:00:00Z'));
  const steps: DiagnosedStep[] = [];
  for await (const { id, seq, status, description } of store.lineage(RESEARCH_TASK)) {
    const ref = { task: RESEARCH_TASK, id };
    const state = await store.state(ref);
    if (state === undefined) throw new Error(`${id} is not there.`);
    steps.push({ ref, seq, status, ...(description === undefined ? {} : { description }), text: state.text });
  }
  const [first] = suspectsOf(steps, { error: 'ranking inconsistent with the summary' });
  expect(first).toMatchObject({ seq: 7, path: '$.context.revenue.CompanyB', before: '4.2', after: '4200' });
  expect(first?.reasons).toContain('1,000 times larger than before.');
});
