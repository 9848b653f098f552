/** A float as Python's `repr` and its JSON writer have it: always told from an integer. @example pythonFloat(1) // '1.0' */
export function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  // The shortest digits are the same in both languages; where the exponent begins is not.
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) {
    const plain = String(value);
    return Number.isInteger(value) ? `${plain}.0` : plain;
  }
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
