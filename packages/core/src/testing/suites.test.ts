import { describe, expect, test } from 'vitest';
import type { CheckpointSource, StoreOptions } from '../contract.ts';
import { MemoryStore } from '../memory.ts';
import { applyRows } from './apply-rows.ts';
import { checkpoint } from './builders.ts';
import { changeCases } from './cases/change.ts';
import { editCases } from './cases/edit.ts';
import { keepCases } from './cases/keep.ts';
import { planCases } from './cases/plan.ts';
import { saveCases } from './cases/save.ts';
import { sourceCases } from './describe-source.ts';
import type { Case } from './run.ts';

// A suite is worth what it catches: each defect here must fail at least one case of the named group.

/** Names of the cases that fail. */
async function failures<C>(cases: readonly Case<C>[], open: () => Promise<C>): Promise<string[]> {
  const failed: string[] = [];
  for (const item of cases) {
    await item.run(await open()).catch(() => failed.push(item.name));
  }
  return failed;
}

class Filled extends MemoryStore {
  async fill(): Promise<this> {
    for (const id of ['a', 'b', 'c', 'd']) await this.save(checkpoint('t', id));
    await this.save(checkpoint('u', 'a'));
    return this;
  }
}

const sourceDefects: Record<string, (store: Filled) => Partial<CheckpointSource>> = {
  'a row is missing from the list': (store) => ({
    checkpoints: async (task, query) => {
      const page = await store.checkpoints(task, query);
      return { ...page, items: page.items.filter((meta) => meta.id !== 'b') };
    },
  }),
  'a page repeats the last row of the page before': (store) => ({
    checkpoints: async (task, query) => {
      const page = await store.checkpoints(task, query);
      return query?.cursor === undefined ? page : { ...page, items: [...page.items, ...page.items.slice(-1)] };
    },
  }),
  'around is ignored': (store) => ({
    checkpoints: (task, query) => store.checkpoints(task, { ...query, around: { task, id: 'd' } }),
  }),
  'a broken cursor gives the first page': (store) => ({
    checkpoints: (task, query) => store.checkpoints(task, query).catch(() => store.checkpoints(task)),
  }),
  'meta answers for the row beside it': (store) => ({
    meta: async (ref) => (await store.checkpoints(ref.task)).items.find(({ id }) => id !== ref.id),
  }),
  'meta of what is absent is the latest': (store) => ({
    meta: async (ref) => (await store.meta(ref)) ?? (await store.checkpoints(ref.task)).items[0],
  }),
  'the state is written anew': (store) => ({
    state: async (ref) => {
      const state = await store.state(ref);
      return state && { ...state, text: JSON.stringify(JSON.parse(state.text)) };
    },
  }),
  'an absent state is an empty one': (store) => ({
    state: async (ref) => (await store.state(ref)) ?? { text: '{}', revision: '' },
  }),
  'the raw bytes are the ones kept inside': (store) => {
    const kept = new Map<string, Uint8Array | undefined>();
    return {
      raw: async (ref) => {
        const key = JSON.stringify(ref);
        if (!kept.has(key)) kept.set(key, await store.raw(ref));
        return kept.get(key);
      },
    };
  },
  'an aborted signal is not looked at': (store) => ({ meta: (ref) => store.meta(ref) }),
  'the latest is the oldest': () => ({ latest: async (task) => ({ ref: { task, id: 'a' }, basis: 'rule' }) }),
  'lineage forgets the last row': (store) => ({
    lineage: async function* (task) {
      for await (const row of store.lineage(task)) if (!row.isLatest) yield row;
    },
  }),
  'find looks into one task': (store) => ({ find: async (id) => (await store.find(id)).slice(0, 1) }),
  'a second close throws': (store) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new Error('closed already');
        closed = true;
        await store.close();
      },
    };
  },
};

function broken(store: Filled, change: Partial<CheckpointSource>): CheckpointSource {
  const whole: CheckpointSource & { plan: MemoryStore['plan'] } = {
    info: store.info,
    tasks: (query) => store.tasks(query),
    checkpoints: (task, query) => store.checkpoints(task, query),
    lineage: (task, options) => store.lineage(task, options),
    meta: (ref, options) => store.meta(ref, options),
    state: (ref, options) => store.state(ref, options),
    raw: (ref, options) => store.raw(ref, options),
    latest: (task, options) => store.latest(task, options),
    find: (id, options) => store.find(id, options),
    plan: (request, options) => store.plan(request, options),
    close: () => store.close(),
  };
  return { ...whole, ...change };
}

describe('the source suite', () => {
  test('passes a sound source', async () => {
    expect(await failures(sourceCases, async () => broken(await new Filled().fill(), {}))).toEqual([]);
  });

  test.each(Object.entries(sourceDefects))('catches: %s', async (_, defect) => {
    const open = async () => {
      const store = await new Filled().fill();
      return broken(store, defect(store));
    };
    expect(await failures(sourceCases, open)).not.toEqual([]);
  });
});

class MovesReplaced extends MemoryStore {
  override async save(...args: Parameters<MemoryStore['save']>) {
    await this.remove(args[0]);
    return super.save(...args);
  }
}

class ForgetsLimit extends MemoryStore {
  constructor(options: StoreOptions = {}) {
    super(options.maxPerTask === undefined ? {} : { maxPerTask: options.maxPerTask + 1 });
  }
}

class SavesOneLate extends MemoryStore {
  override async save(...args: Parameters<MemoryStore['save']>) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(80, (args[0].text?.length ?? 0) / 1000)));
    return super.save(...args);
  }
}

class PlanWrites extends MemoryStore {
  override async plan(...args: Parameters<MemoryStore['plan']>) {
    const plan = await super.plan(...args);
    applyRows(plan);
    return plan;
  }
}

describe('the store suite', () => {
  test.each([
    ['a replaced checkpoint becomes the latest', MovesReplaced],
    ['the limit is off by one', ForgetsLimit],
    ['a long save is overtaken by a short one', SavesOneLate],
    ['planning already writes', PlanWrites],
  ])('catches: %s', async (_, Store) => {
    const open = async (options?: StoreOptions) => ({ store: new Store(options), apply: async () => undefined });
    const cases = [...saveCases, ...planCases, ...keepCases.filter((item) => !/^(watch|reopen|two)/.test(item.name))];
    const sound = async (options?: StoreOptions) => ({ store: new MemoryStore(options), apply: async () => undefined });
    const expected = await failures(cases, async () => ({ open: sound }));
    expect((await failures(cases, async () => ({ open }))).filter((name) => !expected.includes(name))).not.toEqual([]);
  });
});

describe('the system suite', () => {
  const contextOf = async (apply: (store: Filled) => (plan: Parameters<typeof applyRows>[0]) => Promise<unknown>) => {
    const source = await new Filled().fill();
    return { source, sources: [source], facts: { tasks: [] }, apply: apply(source) };
  };

  test('passes a sound executor', async () => {
    expect(await failures(changeCases, () => contextOf(() => async (plan) => applyRows(plan)))).toEqual([]);
  });

  test('catches an executor that does nothing', async () => {
    const failed = await failures(changeCases, () => contextOf(() => async () => undefined));
    expect(failed.map((name) => name.split(':')[0])).toEqual(['restore', 'fork', 'delete', 'delete']);
  });

  test('catches an edit that is not saved, or not undone', async () => {
    const failed = await failures(editCases, async () => {
      return { ...(await contextOf(() => async () => undefined)), undo: async () => undefined };
    });
    expect(failed).toHaveLength(3);
    const kept = await failures(editCases, async () => {
      return { ...(await contextOf(() => async (plan) => applyRows(plan))), undo: async () => undefined };
    });
    expect(kept).toEqual(['edit: undo brings everything back byte for byte']);
  });

  test('catches an executor that also touches another checkpoint', async () => {
    const failed = await failures(changeCases, () =>
      contextOf((store) => async (plan) => {
        applyRows(plan);
        await store.save(checkpoint('u', 'a', { text: '"touched"' }));
      }),
    );
    expect(failed.map((name) => name.split(':')[0])).toEqual(['restore', 'fork', 'delete']);
  });
});
