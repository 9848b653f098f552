import { describeWithOwnPostgres, type OwnServer } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild, removeChild } from '../testing/processes.ts';
import { savesUnderKills } from './testing/server-kills.ts';

describeWithOwnPostgres('a database server that is killed under load', (start) => {
  let server: OwnServer;
  beforeAll(async () => {
    await bundleChild();
    server = await start();
  }, 120_000);
  afterAll(async () => {
    removeChild();
    await server.close();
  });

  it('loses nothing that was acknowledged; those who save and watch go on, and errors are busy (S64)', async () => {
    const found = await savesUnderKills(server, { saves: 120, kills: 3, savesBetween: 30, downMs: () => 300 });
    expect(found.defects).toEqual([]);
    expect(found).toMatchObject({ saved: 120, kills: 3, errors: new Set(['busy']), heardAfterwards: true });
  }, 120_000);
});
