/** Every change of every system, cut off at many writes: `npm run faults`. */
import { afterAll, describe, expect, it } from 'vitest';
import { casesOf, FIXTURES, otherCases, type Case } from './faults/cases.ts';
import { cutOff, describeWithFaults, folderOf, tableOf, type Outcome } from './faults/driver.ts';

/** A part of the names of cases: `codex, delete`. */
const ONLY = process.env['FAULTS_ONLY'] ?? '';
const isChosen = ({ name }: { readonly name: string }) => name.includes(ONLY) || ONLY.startsWith(name);
const outcomes: Outcome[] = [];
const refused: string[] = [];

describeWithFaults('cut off at any write', (library) => {
  afterAll(() => console.log(`\n${tableOf(outcomes)}\n\nNot offered:\n${refused.join('\n')}`));

  describe.each(FIXTURES.filter(isChosen))('$name', (fixture) => {
    it('each change is whole or none, can be undone, and can be made again', async () => {
      const { folder, run } = folderOf();
      const found = await casesOf(fixture, folder, run);
      refused.push(...found.refused);
      await all(library, found.cases);
    });
  });
  it('copies, imports, conversions and what the journal keeps', async () => {
    const { folder, run } = folderOf();
    await all(library, await otherCases(folder, run));
  });
});

/** One that can't be tried doesn't stop the others. */
async function all(library: string, cases: readonly Case[]): Promise<void> {
  const failed: string[] = [];
  for (const one of cases.filter(({ name }) => name.includes(ONLY))) {
    const began = Date.now();
    const found: string[] = [];
    try {
      const outcome = await cutOff(library, one, one.continues ? { full: 8 } : { kills: 16, full: 8 });
      outcomes.push(outcome);
      found.push(...outcome.findings.map(({ wrong, fault, text }) => `${one.name}, ${fault}: ${wrong}: ${text}`));
    } catch (error) {
      found.push(`${one.name}: can't be tried: ${String(error)}`);
    }
    console.log([`${one.name}: ${Math.round((Date.now() - began) / 1000)} s`, ...found].join('\n'));
    failed.push(...found);
  }
  expect(failed).toEqual([]);
}
