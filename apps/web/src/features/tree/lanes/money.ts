/** US dollars with so many decimals. @example money(0.056, 3) // '$0.056' */
export const money = (value: number, decimals: number): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);

/** Decimals for a column of amounts, so that they line up and the smallest still says something. */
export function decimalsFor(values: readonly number[]): number {
  const least = values.reduce((least, value) => (value > 0 ? Math.min(least, value) : least), 1);
  return least < 0.001 ? 4 : least < 0.1 ? 3 : 2;
}
