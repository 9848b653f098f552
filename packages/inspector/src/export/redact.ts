import { createMasker, type Masker } from '@checkpoint-inspector/core';

/** How many different secrets of one known shape there are, however often each is stored. */
export interface MaskedShape {
  /** In words: "AWS access key". */
  readonly name: string;
  readonly count: number;
}

export type Redactor = Masker;

/** Masks secrets and counts them; one per export. With `reveal` everything passes as it is, and is counted. */
export const createRedactor = (reveal: boolean): Redactor => createMasker({ reveal });
