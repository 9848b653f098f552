import { expect, test } from 'vitest';

/** One rule of the contract and how it is checked. */
export interface Case<C> {
  readonly name: string;
  readonly run: (context: C) => Promise<void>;
}

/** Rules that a store cannot keep, and why. */
export interface Skip {
  readonly tests: readonly string[];
  readonly reason: string;
}

/** What is opened again for each case. */
export interface Opened {
  readonly teardown?: () => Promise<void> | void;
}

/** Makes one test of each case; a skip that names no case fails. */
export function runCases<C>(
  cases: readonly Case<C>[],
  open: () => Promise<{ readonly context: C } & Opened>,
  skip: readonly Skip[] = [],
): void {
  const names = new Set(cases.map((item) => item.name));
  test('every skipped test exists', () => {
    expect(skip.flatMap((item) => item.tests).filter((name) => !names.has(name))).toEqual([]);
  });
  for (const item of cases) {
    const reason = skip.find((entry) => entry.tests.includes(item.name))?.reason;
    test.skipIf(reason !== undefined)(reason === undefined ? item.name : `${item.name} (${reason})`, async () => {
      const { context, teardown } = await open();
      try {
        await item.run(context);
      } finally {
        await teardown?.();
      }
    });
  }
}
