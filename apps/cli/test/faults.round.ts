/** Every change of every system, cut off at many writes: `npm run faults`. */
import { afterAll, describe, expect, it } from 'vitest';
import { casesOf, FIXTURES, otherCases, type Case } from './faults/cases.ts';
import { cutOff, describeWithFaults, folderOf, tableOf, type Outcome } from './faults/driver.ts';

const ONLY = process.env['FAULTS_ONLY'] ?? '';
const outcomes: Outcome[] = [];
const refused: string[] = [];

describeWithFaults('cut off at any write', (library) => {
  afterAll(() => {
    console.log(`\n${tableOf(outcomes)}\n\nNot offered by the product:\n${refused.join('\n')}`);
  });

  describe.each(FIXTURES.filter(({ name }) => `${name},`.includes(ONLY) || ONLY.startsWith(name)))(
    '$name',
    (fixture) => {
      it('each change is whole or none, can be undone, and can be made again', async () => {
        const { folder, run } = folderOf();
        const found = await casesOf(fixture, folder, run);
        refused.push(...found.refused);
        await all(library, found.cases);
      });
    },
  );
  it('copies, imports, conversions and what the journal keeps', async () => {
    const { folder, run } = folderOf();
    await all(library, await otherCases(folder, run));
  });
});

async function all(library: string, cases: readonly Case[]): Promise<void> {
  const failed: string[] = [];
  for (const one of cases.filter(({ name }) => name.includes(ONLY))) {
    const began = Date.now();
    const outcome = await cutOff(
      library,
      one,
      one.continues && !process.env['K']
        ? { full: 8 }
        : { kills: Number(process.env['K'] ?? 16), full: Number(process.env['F'] ?? 8) },
    );
    outcomes.push(outcome);
    console.log(`${one.name}: ${outcome.findings.length} findings, ${Math.round((Date.now() - began) / 1000)} s`);
    const lines = outcome.findings.map(({ wrong, fault, text }) => `${one.name}, ${fault}: ${wrong}: ${text}`);
    failed.push(...lines);
    console.log(lines.join('\n'));
  }
  expect(failed).toEqual([]);
}
