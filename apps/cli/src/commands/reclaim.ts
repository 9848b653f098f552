import { statSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { InspectorError, type CheckpointSource } from '@checkpoint-inspector/core';
import { diskUse, reclaimSqlite } from '@checkpoint-inspector/io';
import { print, printable, size, type Output } from '../output.ts';
import { changing, NAME, type Verbs } from '../verbs.ts';
import type { Run } from '../workspace.ts';

interface ReclaimOptions {
  readonly yes?: boolean;
}

export function addReclaim(verbs: Verbs): void {
  verbs
    .add('reclaim <store>', {
      group: 'keep',
      about: "give the space of deleted rows back to the disk (SQLite only); this can't be undone",
      examples: ['reclaim ./checkpoints.sqlite', 'reclaim ./checkpoints.sqlite --yes'],
    })
    .option('-y, --yes', 'do it; without this, only what it would do is shown')
    .option('--json', 'print JSON')
    .action((store: string, options: ReclaimOptions) =>
      changing(verbs, { store: [store], dryRun: options.yes !== true }, (run) => reclaim(run, options)),
    );
}

async function reclaim({ workspace, output }: Run, { yes = false }: ReclaimOptions): Promise<void> {
  const path = databaseOf(workspace.sources());
  const use = diskUse(path);
  tellFirst(output, basename(path), use);
  if (!yes) {
    throw new InspectorError('invalid_input', 'Nothing was changed: this needs --yes.', {
      remedy: 'Stop the agents that use the database, make a copy if you may need one, then add --yes.',
      data: { path, ...use },
    });
  }
  const { before, after, isLogKept } = await reclaimSqlite(path);
  print(output, { path, before, after, isLogKept }, () => [
    printable(`${basename(path)}: ${size(before)} before, ${size(after)} after`),
    ...(isLogKept ? ['The log stays beside the database: another process is reading it, or the disk is full.'] : []),
  ]);
}

function tellFirst({ note, json }: Output, name: string, { bytes, freeBytes }: ReturnType<typeof diskUse>): void {
  if (json) return;
  note(printable(`${name}: ${size(bytes)} on disk, ${size(freeBytes)} of it left by deleted rows`));
  note("This rewrites the whole database. It changes no checkpoint, and it can't be undone.");
  note('Row ids may change, so changes that were made before may refuse to be undone.');
}

/** The one file behind the store. @throws InspectorError unsupported | invalid_input */
function databaseOf(sources: readonly CheckpointSource[]): string {
  const files = new Set(sources.map(({ info }) => info.identity).filter((identity) => isFile(identity)));
  const [path, ...others] = files;
  if (path === undefined) {
    throw new InspectorError(
      'unsupported',
      "This store isn't a SQLite database: its files have no space to give back.",
      {
        remedy: `Use ${NAME} prune to delete checkpoints.`,
      },
    );
  }
  if (others.length === 0) return path;
  throw new InspectorError('invalid_input', `There are ${files.size} databases here.`, {
    remedy: 'Name one of them.',
    data: { candidates: [...files] },
  });
}

const isFile = (identity: string | undefined): identity is string =>
  identity !== undefined && isAbsolute(identity) && statSync(identity, { throwIfNoEntry: false })?.isFile() === true;
