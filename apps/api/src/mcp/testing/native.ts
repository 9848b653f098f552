/** For tests: our own SQLite files, opened by the service as the inspector opens them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { defaultRegistry, createStoreService } from '@checkpoint-inspector/inspector';

/** One file per name, `<name>.db`, with store id `<name>`. */
export async function nativeStores(...names: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  const stores = createStoreService({ registry: defaultRegistry() });
  const pathOf = (name: string) => join(folder, `${name}.db`);
  for (const name of names) {
    await (await openSqliteStore({ path: pathOf(name) })).close();
    await stores.open(pathOf(name), name);
  }
  return {
    folder,
    stores,
    pathOf,
    async remove() {
      await stores.closeAll();
      rmSync(folder, { recursive: true });
    },
  };
}
