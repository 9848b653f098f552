/** A process that makes one change and may kill itself in it: node kill-child.mjs '{"url", "schema", "images", "step"}'. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { openPostgres } from '../../../postgres/open.ts';
import { postgresJob } from '../../rows/job.ts';
import type { Image } from '../../executor.ts';
import { postgresEngine } from '../index.ts';

export interface KillOrder {
  readonly url: string;
  readonly schema: string;
  /** Where the images are kept, as a journal would. */
  readonly images: string;
  /** A step that never comes lets it end. */
  readonly step: string;
}

const { url, schema, images, step }: KillOrder = JSON.parse(process.argv[2] ?? '');

function keep(all: readonly Image[]): void {
  const kept = all.map(({ mark, content }) => ({ mark, content: content && Buffer.from(content).toString('base64') }));
  const file = openSync(`${images}.part`, 'w', 0o600);
  writeSync(file, JSON.stringify(kept));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${images}.part`, images);
}

const database = await openPostgres(url, { schema });
const job = postgresJob(database.identity, ['t'])
  .copy('rows', { id: 1 }, { id: 1001 })
  .update('rows', { id: 2 }, { text: 'changed' });
for (let id = 3; id <= 60; id++) job.delete('rows', { id });
console.log('ready');
await postgresEngine.apply(job, {
  tag: 'kill',
  prepared: keep,
  onStep: (now) => {
    if (now === step) process.kill(process.pid, 'SIGKILL');
  },
});
await database.close();
