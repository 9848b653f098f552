/** What a receipt may find different from its plan. */
export type ProofPart = 'written' | 'latest';

const WORDS: Readonly<Record<ProofPart, string>> = {
  written: 'what was written differs from the plan',
  latest: "the latest isn't the planned one",
};

/**
 * What differs from the plan, in words; `undefined` where the receipt doesn't say.
 * @example proofDifference({ differs: ['latest'] }) // "the latest isn't the planned one"
 */
export function proofDifference({ differs = [] }: { readonly differs?: readonly ProofPart[] }): string | undefined {
  return differs.length === 0 ? undefined : differs.map((part) => WORDS[part]).join(', and ');
}
