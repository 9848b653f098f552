import { rngOf } from '@checkpoint-inspector/core/testing';
import { describeWithOwnPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { savesUnderKills } from '../src/postgres/testing/server-kills.ts';
import { bundleChild, removeChild } from '../src/testing/processes.ts';

const SAVES = Number(process.env['SAVES'] ?? 5_000);
const SEED = Number(process.env['SEED'] ?? 1);

describeWithOwnPostgres('PostgreSQL', (start) => {
  beforeAll(() => bundleChild());
  afterAll(removeChild);

  it(`is killed every 250 of ${SAVES} saves for up to 2 seconds and loses nothing, seed ${SEED}`, async () => {
    const rng = rngOf('server kills', SEED);
    const server = await start();
    const kills = Math.ceil(SAVES / 250) - 1;
    const found = await savesUnderKills(server, {
      saves: SAVES,
      kills,
      savesBetween: 250,
      downMs: () => rng.int(0, 2_000),
    });
    await server.close();
    console.log(`measured: ${found.saved} saves, ${found.kills} kills of the server, ${found.defects.length} defects`);
    expect(found).toMatchObject({ defects: [], saved: SAVES, kills, errors: new Set(['busy']), heardAfterwards: true });
  }, 3_600_000);
});
