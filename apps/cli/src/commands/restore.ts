import { InspectorError } from '@checkpoint-inspector/core';
import { resolveCheckpoint } from '../resolve.ts';
import type { Run } from '../workspace.ts';
import { changing, narrowed, planned } from '../verbs.ts';
import type { Verbs } from '../verbs.ts';
import { change } from './change.ts';
import type { ChangeOptions } from './change.ts';

export function addRestore(verbs: Verbs): void {
  planned(
    narrowed(
      verbs.overStores('restore <checkpoint>', {
        group: 'change',
        about: 'make an older checkpoint the latest',
        examples: ['restore ckpt_07 --dry-run', 'restore report/latest~1', 'restore ckpt_07 --to report-again --yes'],
      }),
    ),
  )
    .option('--to <task>', 'copy into this new task instead')
    .action((id: string, options: ChangeOptions) =>
      changing(verbs, options, (run) => copy(run, 'restore', id, options)),
    );
  planned(
    narrowed(
      verbs.overStores('fork <checkpoint>', {
        group: 'change',
        about: 'begin a new branch at a checkpoint, where its system has branches',
        examples: ['fork ckpt_07 --dry-run', 'fork report/latest --to report-b', 'fork ckpt_07 --yes --json'],
      }),
    ),
  )
    .option('--to <task>', 'begin it in this new task; some systems fork only so')
    .action((id: string, options: ChangeOptions) => changing(verbs, options, (run) => copy(run, 'fork', id, options)));
  planned(
    narrowed(
      verbs.overStores('delete <checkpoint...>', {
        group: 'change',
        about: 'move checkpoints to the trash',
        examples: ['delete ckpt_07 --dry-run', 'delete ckpt_07 ckpt_08 --yes', 'delete prod/report/ckpt_07'],
      }),
    ),
  ).action((ids: string[], options: ChangeOptions) => changing(verbs, options, (run) => remove(run, ids, options)));
}

/** `restore <id>` makes an older checkpoint the latest, `fork <id>` begins a branch at it; both by plan. */
async function copy(run: Run, kind: 'restore' | 'fork', id: string, options: ChangeOptions): Promise<void> {
  const { source, ref } = await resolveCheckpoint(run.workspace, id, options);
  const request = { kind, ref, ...(options.to === undefined ? {} : { targetTask: options.to }) };
  await change(run, source.info.id, request, options);
}

/** `delete <id…>`: moves checkpoints of one store to the trash, by plan. */
async function remove(run: Run, ids: readonly string[], options: ChangeOptions): Promise<void> {
  const found = [];
  for (const id of ids) found.push(await resolveCheckpoint(run.workspace, id, options));
  const stores = new Set(found.map(({ source }) => source.info.id));
  const [store] = stores;
  if (store === undefined || stores.size > 1) {
    throw new InspectorError('invalid_input', 'These checkpoints are in several stores.', {
      remedy: 'Delete in one store at a time.',
    });
  }
  await change(run, store, { kind: 'delete', refs: found.map(({ ref }) => ref) }, options);
}
