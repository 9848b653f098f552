import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { createStoreService } from '@checkpoint-inspector/inspector';
import { describe, expect, it } from 'vitest';
import { testApp } from '../testing/app.ts';

/** `run` fails where `a/good` does not, and another store has a task of that name. */
async function app() {
  const stores = createStoreService({ registry: { open: async () => [] } });
  for (const id of ['memory', 'other']) {
    const store = new MemoryStore({ id: storeId(id) });
    const save = async (task: string, fees: readonly number[], status: 'failed' | 'completed') => {
      for (const [n, fee] of fees.entries())
        await store.save({
          task,
          id: `${task}-${n}`,
          text: JSON.stringify({ fee, n }),
          status: n === fees.length - 1 ? status : 'running',
          ...(n === 0 ? {} : { parent: { task, id: `${task}-${n - 1}` } }),
        });
    };
    await save('run', [4, 400, 400], 'failed');
    await save('a/good', [4, 4], 'completed');
    stores.add(store);
  }
  const { ask } = await testApp({ stores });
  return async (query: Record<string, string> = {}) => {
    const answer = await ask(`/api/stores/memory/tasks/run/explain?${new URLSearchParams(query).toString()}`);
    return { status: answer.status, body: await answer.json() };
  };
}

describe('GET …/explain', () => {
  it('has the facts of the end of a branch, whole or as far as they are known', async () => {
    const ask = await app();
    const failed = { outcome: 'failed', error: { ref: { id: 'run-2' } }, lastGood: { id: 'run-1', back: 1 } };
    expect((await ask()).body).toMatchObject({ ...failed, writes: [{ ref: { id: 'run-1' }, path: '$.fee' }] });
    expect((await ask({ known: 'true' })).body).toMatchObject(failed);
    expect((await ask({ cp: 'run-1', ns: '' })).body).not.toHaveProperty('error');
  });

  it('says whether a value is what it should be', async () => {
    const ask = await app();
    const check = async (text: string) => (await ask({ expect: text })).body;
    expect(await check('$.fee=4')).toMatchObject({
      check: { holds: false, firstBroken: { id: 'run-1' }, found: '400' },
    });
    expect(await check('fee=400')).toMatchObject({ check: { path: '$.fee', holds: true } });
    expect(await check('.refund=1')).toMatchObject({ check: { holds: false, never: true } });
    for (const text of ['fee', 'fee=four', '=4']) {
      const refused = { code: 'invalid_input', remedy: expect.stringContaining('$.a.b=122') };
      expect(await ask({ expect: text })).toMatchObject({ status: 400, body: { error: refused } });
    }
  });

  it.each(['a/good', 'memory/a%2Fgood', 'memory/a%2Fgood/a%2Fgood-1'])('compares with %s', async (against) => {
    const ask = await app();
    expect((await ask({ against })).body).toMatchObject({
      against: {
        task: 'a/good',
        chosen: 'asked',
        differs: [{ path: '$.fee', here: { value: '400' }, there: { value: '4' } }],
      },
    });
  });

  it('refuses a run that is missing or in another store', async () => {
    const ask = await app();
    expect(await ask({ against: 'other/run' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input' } },
    });
    expect((await ask({ against: 'nobody' })).status).toBe(404);
  });
});
