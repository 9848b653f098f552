import { describeStore } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore, type PostgresStore } from './store.ts';

const CHANGES = [
  'plan: writes nothing, whatever is asked',
  'restore: a copy, byte for byte, becomes the latest as a child of its source; the others stay',
  'restore: again, and of a copy, counts on',
  'restore: into a new task leaves the own one alone; a task that exists is refused',
  'restore: past maxPerTask names what it evicts now, also when that is the source itself',
  'fork: takes an id and a task; an id that is taken is refused',
  'delete: removes those asked for and says what it means; the others stay',
  'delete: of the latest, and of all, is warned of',
  'plan: an unknown checkpoint, no checkpoint, and two tasks at once are refused',
  'apply: a restore whose source or head moved since the plan writes nothing',
  'apply: a delete is not refused by a save of another checkpoint meanwhile, but by one of its own',
  'edit: one child with exactly that text becomes the latest; the original and the others stay',
  'edit: into a new task leaves the own one alone; a task that exists is refused',
  'edit: text that is no JSON, or that no file can keep, is refused with its place',
  'edit: a text that says the same is saved with a warning, whatever its spelling',
  'edit: an unknown checkpoint is not_found, before the text is looked at',
  'edit: past maxPerTask names what it evicts now, also when that is the original itself',
  'edit: a head or an original that moved since the plan writes nothing',
  'edit: two edits of one checkpoint are two children, and nothing is lost',
  'edit: undo brings everything back byte for byte',
  'restore: of a framework’s checkpoint hangs where its original does, newer than all, without its writes',
  'restore: to a new task takes what led to a framework’s checkpoint, all namespaces and writes',
  'delete: of a framework’s checkpoints takes their writes, moves their children, and lets the step run again',
  'plan: a state built from earlier writes is neither edited nor cut off from them',
  'undo: of each change to a framework’s thread brings everything back',
];

describeWithPostgres('our own store in PostgreSQL', () => {
  let db: TestPostgres;
  let made = 0;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  describeStore('PostgresStore', {
    skip: [{ tests: CHANGES, reason: 'nothing is changed by plan here yet' }],
    open: async (options) => {
      const schema = `suite "${++made}"`;
      const opened: PostgresStore[] = [];
      const open = async () => {
        const store = await openPostgresStore({ url: db.url, schema, ...options });
        opened.push(store);
        return store;
      };
      return {
        store: await open(),
        reopen: open,
        apply: () => Promise.reject(new Error('There is nothing to apply.')),
        teardown: async () => {
          for (const store of opened) await store.close();
        },
      };
    },
  });
});
