/** For tests: a process that copies one file to another, to be killed at any moment. */
import { storeId } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { copyStore } from '../copy.ts';
import { openCopyTarget } from '../target.ts';

const [from = '', to = ''] = process.argv.slice(2);
const source = await openSqliteStore({ path: from, readOnly: true, id: storeId('from') });
const target = await openCopyTarget(
  to,
  { source },
  { open: async (path) => [await openSqliteStore({ path, readOnly: true })] },
);
process.stdout.write('begins\n');
await copyStore(source, {
  ...target,
  // Slower than it is, so that there are many moments.
  save: async (checkpoint) => {
    const saved = await target.save(checkpoint);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return saved;
  },
});
process.stdout.write('done\n');
