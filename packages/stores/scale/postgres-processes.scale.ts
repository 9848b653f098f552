/** Several processes that save at once to one server: ours against LangGraph's PostgresSaver, in turns. */
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { bundleChild, startProgram } from '../src/testing/processes.ts';
import { ours, saver } from './postgres-sides.ts';
import type { SpeedOrder } from './speed-child.ts';

const STEPS = Number(process.env['STEPS'] ?? 200);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SIDES = ['langgraph', 'value', 'immutable'] as const;
const PROGRAM = fileURLToPath(new URL(`../node_modules/.cache/speed-child-${process.pid}.mjs`, import.meta.url));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

describeWithPostgres('our store in PostgreSQL', () => {
  beforeAll(() => bundleChild(new URL('speed-child.ts', import.meta.url), PROGRAM));
  afterAll(() => rmSync(PROGRAM, { force: true }));

  it.each([2, 4])(
    `%d processes save ${STEPS} steps each, faster than PostgresSaver`,
    async (count) => {
      const db = await postgresForTests();
      onTestFinished(() => db.close());
      // The tables are made before anybody is timed.
      for (const side of [await saver(db.url), await ours(db.url, 'processes')]) await side.close();
      const rates = new Map(SIDES.map((side) => [side, [] as number[]]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const side of SIDES) {
          const orders = Array.from({ length: count }, (_, nth): SpeedOrder => {
            return { url: db.url, side, task: `${side} ${round} ${nth}`, seed: nth + 1, steps: STEPS };
          });
          const ended = await Promise.all(orders.map((order) => startProgram(PROGRAM, order).ended));
          rates.get(side)?.push(ended.reduce((sum, [ms]) => sum + (STEPS * 1_000) / Number(ms), 0));
        }
      }
      const rate = (side: (typeof SIDES)[number]) => median(rates.get(side) ?? []);
      const told = SIDES.map((side) => `${side} ${rate(side).toFixed(0)}/s`);
      const [settings] = await db.run<{ fsync: string }>("SELECT current_setting('fsync') AS fsync");
      console.log(
        `measured: ${count} processes, ${STEPS} steps each, fsync ${settings?.fsync}: saves ${told.join(', ')}`,
      );
      expect(rate('value')).toBeGreaterThan(rate('langgraph'));
    },
    1_800_000,
  );
});
