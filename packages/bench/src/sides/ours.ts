import { join } from 'node:path';
import type { NewCheckpoint, NewValue } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import type { Side, SideKind, Step } from './side.ts';

const TASK = 't';

/** What is handed to `save`. */
type Given = 'value' | 'immutable' | 'text';

const side = (given: Given, isWhole = false): SideKind => ({
  name: given,
  label: `ours, \`{ ${given === 'immutable' ? 'value, immutable' : given} }\``,
  isWhole,
  open: (folder, keep) => openOurs(join(folder, `${given}.db`), given, keep),
});

export const ours: readonly SideKind[] = [side('value'), side('immutable'), side('text', true)];

async function openOurs(path: string, given: Given, keep: number | undefined): Promise<Side> {
  const store = await openSqliteStore({ path, ...(keep === undefined ? {} : { maxPerTask: keep }) });
  const save = async (step: Step) => {
    await store.save(checkpointOf(step, given), { immutable: given === 'immutable' });
  };
  const text = async (id: string) => (await store.state({ task: TASK, id }))?.text ?? '';
  return {
    save,
    text,
    value: async (id) => JSON.parse(await text(id)),
    page: async (limit) => (await store.checkpoints(TASK, { limit })).items.length,
    // Retention is in every save.
    prune: save,
    close: () => store.close(),
  };
}

function checkpointOf({ id, parent, state }: Step, given: Given): NewCheckpoint | NewValue {
  const fields = { task: TASK, id, ...(parent === undefined ? {} : { parent: { task: TASK, id: parent } }) };
  return given === 'text' ? { ...fields, text: JSON.stringify(state) } : { ...fields, value: state };
}
