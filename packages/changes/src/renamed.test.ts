import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InspectorError, storeId, type StoreId } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createChangeService } from './service.ts';
import { placeOf } from './store.ts';
import { makeBench, ref, remove, restore, START, type Bench } from './testing/bench.ts';
import { FolderStore } from './testing/stores.ts';

const DATA = storeId('data');
const DATA_2 = storeId('data-2');

let bench: Bench;
let other: string;

beforeEach(async () => {
  bench = await makeBench();
  other = join(bench.base, 'other');
  await mkdir(other);
  for (const [name, text] of Object.entries(START)) await writeFile(join(other, name), text);
});
afterEach(() => bench.close());

/** Folders by the names under which they are open. */
function serve(folders: Readonly<Record<StoreId, string>>) {
  const open = new Map<StoreId, FolderStore>();
  for (const [name, folder] of Object.entries(folders))
    open.set(storeId(name), new FolderStore(folder, 3, storeId(name)));
  const sources = (store: StoreId): FolderStore => {
    const source = open.get(store);
    if (source) return source;
    throw new InspectorError('not_found', `No store "${store}" is open.`);
  };
  const service = createChangeService({
    journal: bench.journal,
    sources,
    open: () => [...open.keys()],
    readOnly: false,
  });
  return { service, sources };
}

/** A restore in the first folder and a delete in the second, while both were called `data`. */
async function changeBoth(): Promise<{ readonly restored: string; readonly deleted: string }> {
  const first = serve({ [DATA]: bench.folder }).service;
  const restored = await first.apply((await first.preview(DATA, restore('c2'))).id);
  const second = serve({ [DATA]: other }).service;
  const deleted = await second.apply((await second.preview(DATA, remove('c1'))).id);
  return { restored: restored.id, deleted: deleted.id };
}

it('undoes a change in a store that has another name now, and whose name another store has', async () => {
  const { restored, deleted } = await changeBoth();
  const { service } = serve({ [DATA]: other, [DATA_2]: bench.folder });
  const receipt = await service.undo(restored);
  expect(receipt).toMatchObject({ store: DATA_2, proof: 'same', removed: [ref('c4')] });
  expect(await bench.content()).toEqual(START);
  expect(await service.undo(deleted)).toMatchObject({ store: DATA, written: [ref('c1')] });
});

it('lists changes and trash under the names that their stores have now', async () => {
  const { restored, deleted } = await changeBoth();
  const { service } = serve({ [DATA]: other, [DATA_2]: bench.folder });
  const receipts = async (store?: StoreId) =>
    (await service.receipts(store === undefined ? {} : { store })).items.map((one) => [
      one.id,
      one.store,
      one.undoable,
    ]);
  expect(await receipts()).toEqual([
    [deleted, DATA, true],
    [restored, DATA_2, true],
  ]);
  expect(await receipts(DATA_2)).toEqual([[restored, DATA_2, true]]);
  expect(await receipts(DATA)).toEqual([[deleted, DATA, true]]);
  expect((await service.trash({ store: DATA })).items.map(({ store, ref: { id } }) => [store, id])).toEqual([
    [DATA, 'c1'],
  ]);
  expect((await service.trash({ store: DATA_2 })).items.map(({ ref: { id } }) => id)).toEqual(['c1']);
});

it('says that a store is not open, where only its name is', async () => {
  const { restored } = await changeBoth();
  const { service } = serve({ [DATA]: other });
  const message = `The store for this change isn't open: ${bench.folder}.`;
  await expect(service.undo(restored)).rejects.toMatchObject({ code: 'no_store', message });
  expect(await service.receipt(restored)).toMatchObject({ store: DATA, undoable: message });
});

it('keeps the parent that a store cannot hold for that store, whatever it is called', async () => {
  await changeBoth();
  const { sources } = serve({ [DATA]: other, [DATA_2]: bench.folder });
  const edges = (store: StoreId) => bench.journal.sidecar(placeOf(sources(store)), store);
  expect(edges(DATA_2)).toEqual([{ child: ref('c4'), parent: ref('c2') }]);
  expect(edges(DATA)).toEqual([]);
});
