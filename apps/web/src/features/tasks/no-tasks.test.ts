import { storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { emptyStores } from './NoTasks.tsx';
import { whyNone } from './TasksPane.tsx';

const stores = [{ id: storeId('empty-db'), label: 'empty.db' }];

it('says that a chosen store is empty only where all of its tasks are known', () => {
  expect(emptyStores({ store: ['empty-db'] }, stores, ['runs-db'])).toBe('empty.db has no checkpoints yet.');
  expect(emptyStores({ store: ['empty-db'] }, stores, ['empty-db'])).toBeUndefined();
  expect(emptyStores({ store: ['empty-db'] }, stores, undefined)).toBeUndefined();
  expect(emptyStores({ store: ['empty-db'], q: 'run' }, stores, [])).toBeUndefined();
  expect(emptyStores({ store: ['closed-db'] }, stores, [])).toBeUndefined();
  expect(emptyStores({}, stores, [])).toBeUndefined();
});

it('says why no task is listed beside a history', () => {
  const error = { code: 'no_store', message: 'There is no file runs.db.', remedy: '' } as const;
  expect(whyNone('etl', [])).toBe('No task has “etl” in its name or id.');
  expect(whyNone('', [{ error }])).toBe('There is no file runs.db.');
  expect(whyNone('', [])).toBe('The open stores have no tasks.');
});
