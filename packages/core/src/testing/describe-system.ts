import { describe } from 'vitest';
import { changeCases } from './cases/change.ts';
import { editCases } from './cases/edit.ts';
import { factCases } from './cases/facts.ts';
import { sourceCases } from './describe-source.ts';
import { runCases, type Skip } from './run.ts';
import type { OpenedSystem, SourceFacts } from './system-context.ts';

/** What `describeSystem` needs. */
export interface SystemSuite {
  /** Opens the fixture from a fresh copy, for each test. */
  readonly open: () => Promise<OpenedSystem>;
  /** One entry per source, in the order in which they open. */
  readonly facts: readonly SourceFacts[];
  readonly skip?: readonly Skip[];
}

const ownCases = [...factCases, ...changeCases, ...editCases];
const sourceNames = new Set(sourceCases.map((item) => item.name));

/**
 * Checks a system's room on a fixture that the real system wrote: the reading
 * contract, what is known of the fixture, and every change that it offers.
 * @example describeSystem('kaizen plain', { open, facts: [{ tasks: [{ id: 'writer', checkpoints: 2, latest: 'ckpt_2' }] }] });
 */
export function describeSystem(name: string, { open, facts, skip = [] }: SystemSuite): void {
  const part = (wanted: (test: string) => boolean) =>
    skip.map((item) => ({ ...item, tests: item.tests.filter(wanted) }));
  describe(name, () => {
    describe.each(facts.map((entry, at) => [at + 1, entry] as const))('source %i', (number, entry) => {
      runCases(
        sourceCases,
        async () => (await openAt(open, number, facts)).asSource,
        part((test) => sourceNames.has(test)),
      );
      const opened = async () => {
        const { asSource, all } = await openAt(open, number, facts);
        return { ...asSource, context: { ...all, source: asSource.context, facts: entry } };
      };
      runCases(
        ownCases,
        opened,
        part((test) => !sourceNames.has(test)),
      );
    });
  });
}

async function openAt(open: SystemSuite['open'], number: number, facts: readonly SourceFacts[]) {
  const all = await open();
  const context = all.sources[number - 1];
  if (!context || all.sources.length !== facts.length) {
    await all.teardown?.();
    throw new Error(`${all.sources.length} sources opened, and the facts describe ${facts.length}.`);
  }
  return { all, asSource: { context, ...(all.teardown ? { teardown: all.teardown } : {}) } };
}
