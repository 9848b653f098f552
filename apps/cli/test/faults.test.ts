/** Some points of some changes, one of each engine; `npm run faults` takes more of all. */
import { expect, it } from 'vitest';
import { casesOf, FIXTURES, otherCases, type Case } from './faults/cases.ts';
import { cutOff, describeWithFaults, folderOf } from './faults/driver.ts';

const CHANGES = ['native, prune', 'langgraph (Python), restore', 'kaizen, delete', 'codex, restore'];
const OTHERS = ['copy to a new file', 'import of a bundle', 'conversion of format 1'];

async function caseOf(name: string): Promise<Case> {
  const { folder, run } = folderOf();
  const fixture = FIXTURES.find((one) => name.startsWith(`${one.name}, `));
  const cases = fixture ? (await casesOf(fixture, folder, run)).cases : await otherCases(folder, run);
  return cases.find((one) => one.name === name) ?? expect.fail(`no case "${name}"`);
}

describeWithFaults('cut off at some writes', (library) => {
  it.each([...CHANGES, ...OTHERS])('%s is whole or none, and can be made again', async (name) => {
    const { kills, full, findings } = await cutOff(library, await caseOf(name), { kills: 3, full: 1 });
    expect(findings).toEqual([]);
    expect([kills, full]).toEqual([3, 1]);
  });
});
