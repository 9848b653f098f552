/** Decimals as text, added without the noise of binary fractions. */

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
/** No sum of money is smaller or larger; beyond it a number is not taken for one. */
const MAX_SCALE = 400;

interface Scaled {
  readonly digits: bigint;
  /** The value is `digits / 10 ** scale`. */
  readonly scale: number;
}

/**
 * The exact sum of numbers by their shortest spelling. @param values finite numbers or decimal texts
 * @throws RangeError for anything else
 * @example addDecimals([0.1, 0.2]) // '0.3'
 */
export function addDecimals(values: Iterable<number | string>): string {
  const parts = [...values].map(scaled);
  const scale = Math.max(0, ...parts.map((part) => part.scale));
  const sum = parts.reduce((total, part) => total + part.digits * 10n ** BigInt(scale - part.scale), 0n);
  return textOf({ digits: sum, scale });
}

/** @example subtractDecimals(0.3, 0.1) // '0.2' */
export function subtractDecimals(a: number | string, b: number | string): string {
  const taken = scaled(b);
  return addDecimals([a, textOf({ ...taken, digits: -taken.digits })]);
}

function scaled(value: number | string): Scaled {
  const match = DECIMAL.exec(String(value));
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  const scale = fraction.length - Number(exponent);
  if (!match || Math.abs(scale) > MAX_SCALE) throw new RangeError(`${value} is no decimal number.`);
  const digits = BigInt(sign === '-' ? `-${whole}${fraction}` : whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

function textOf({ digits, scale }: Scaled): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}
