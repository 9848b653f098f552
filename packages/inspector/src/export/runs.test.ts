import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { gather } from './gather.ts';
import { report } from './html.ts';

const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;

async function twoRuns(): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('runs') });
  const save = (id: string, at: number, state: object, more: object, from?: string) => {
    const parent = from === undefined ? {} : { parent: { task: 'sales', id: from } };
    return store.save({ task: 'sales', id, text: JSON.stringify(state), stepIndex: at, ...parent, ...more });
  };
  await save('s-1', 1, { cache: true }, { description: 'plan', status: 'completed' });
  const fetched = { cache: true, figure: 4200, '<b>': SECRET };
  await save('s-2', 2, fetched, { description: 'fetch', status: 'completed', tokenUsage: 2310 }, 's-1');
  await save('f-2', 2, { cache: true, figure: 4.2 }, { description: 'fetch', status: 'completed' }, 's-1');
  await save('f-3', 3, { cache: true, figure: 4.2, ok: 1 }, { description: 'rank', status: 'completed' }, 'f-2');
  await save('s-3', 3, fetched, { description: 'rank', status: 'failed' }, 's-2');
  return store;
}

it('sets a task beside another branch: totals, where they part, each step, the ends; masked and escaped', async () => {
  const store = await twoRuns();
  const compareWith = { source: store, query: { task: 'sales', cp: 'f-3' } };
  const html = await report(await gather(store, { task: 'sales' }), { task: 'sales', compareWith });
  const section = html.slice(html.indexOf('<section class="runs">')).split('</section>')[0] ?? '';
  expect(section).toContain('Compared with the branch');
  expect(section).toMatch(/Tokens<\/th><td>2,310<\/td><td>not reported</);
  expect(section).toContain('Before it, 1 step the same in both.');
  expect(section).toMatch(
    /First difference at #02 fetch: .*\$\.figure.*A has <code>4200<\/code>, B has <code>4\.2<\/code>/,
  );
  expect(section).toContain('outcome');
  expect(section).toMatch(/At the end \d values? differs?/);
  expect(section).not.toContain(SECRET);
  expect(section).not.toContain('<b>"');
  expect(section).toContain('&lt;b&gt;');
  expect(html).toContain('Masked: 1 × OpenAI key.');
});

it('says that nothing differs, and refuses a run that is missing', async () => {
  const store = await twoRuns();
  const subject = await gather(store, { task: 'sales' });
  const same = await report(subject, { task: 'sales', compareWith: { source: store, query: { task: 'sales' } } });
  expect(same).toContain('Nothing differs in their steps.');
  const gone = { source: store, query: { task: 'gone' } };
  await expect(report(subject, { task: 'sales', compareWith: gone })).rejects.toMatchObject({ code: 'not_found' });
});
