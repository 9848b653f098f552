import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page } from '@checkpoint-inspector/core';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('the names of checkpoints', async () => {
  const place = workplace();
  const kaizen = place.kaizen();
  const rows = ((await place.json('list', 'research_agent', '-s', kaizen)) as Page<CheckpointMeta>).items;

  it('are taken wherever a checkpoint is named', async () => {
    const [latest] = rows;
    expect(await place.json('show', 'research_agent/latest', '--meta', '-s', kaizen)).toMatchObject({ id: latest?.id });
    expect((await place.run('diff', 'research_agent/latest~1', 'research_agent/latest', '-s', kaizen)).code).toBe(0);
    const history = await place.json('history', 'research_agent', '$.step_number', '--cp', 'latest', '-s', kaizen);
    expect(history).toMatchObject({ complete: true });
    const preview = await place.json('export', 'research_agent', '--checkpoint', 'latest', '--dry-run', '-s', kaizen);
    expect(preview).toMatchObject({ checkpoints: 1 });
    expect((await place.run('show', 'latest', '-s', kaizen)).err).toContain('"latest" needs a task');
  });

  it('need a checkpoint where a namespace is named', async () => {
    for (const verb of [
      ['history', 'research_agent', '$.step_number'],
      ['explain', 'research_agent'],
    ]) {
      const done = await place.run(...verb, '--ns', 'none', '-s', kaizen);
      expect(done).toMatchObject({ code: ERROR_CODES.invalid_input.exit, out: '' });
      expect(done.err).toContain('--ns is the namespace of --cp, which is missing.');
    }
  });
});

describe('two tasks of one name in two projects of one ctx-sys database', () => {
  const place = workplace();
  const database = place.ctxSys();
  const rows = async (task: string) => ((await place.json('list', task, '-s', database)) as Page<CheckpointMeta>).items;

  it('can both be used, and the error names them', async () => {
    const refused = await place.run('list', 'etl-nightly', '-s', database);
    expect(refused.code).toBe(ERROR_CODES.ambiguous_id.exit);
    const names = refused.err.split('\n').filter((line) => line.endsWith('/etl-nightly'));
    expect(names).toHaveLength(2);
    const counts: number[] = [];
    for (const name of names) counts.push((await rows(name.trim())).length);
    expect(counts.toSorted()).toEqual([3, 7]);
    for (const name of names) {
      expect((await place.run('tree', name.trim(), '-s', database)).code).toBe(0);
      expect((await place.run('prune', name.trim(), '--keep-last', '2', '--dry-run', '-s', database)).code).toBe(0);
      expect((await place.run('show', `${name.trim()}/latest`, '-s', database)).code).toBe(0);
      expect((await place.run('errors', '--task', name.trim(), '-s', database)).code).toBe(0);
    }
  });
});
