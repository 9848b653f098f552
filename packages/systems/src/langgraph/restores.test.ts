import { openRows } from './test-store.ts';
import { openSaver } from './test-graphs.ts';
import { describeRestores } from './test-restores.ts';

describeRestores('LangGraph over SQLite', async () => {
  const { path, source, apply, close } = await openRows([]);
  const saver = openSaver(path);
  return {
    saver,
    source,
    apply,
    close: async () => {
      saver.db.close();
      await close();
    },
  };
});
