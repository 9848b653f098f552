/**
 * A string as a JSON token. Lone surrogates are escaped, so the token survives UTF-8; `ascii` escapes all
 * that Python's default writer escapes.
 * @example quoteJson('é', { ascii: true }) // '"\\u00e9"'
 */
export function quoteJson(value: string, options: { readonly ascii?: boolean } = {}): string {
  const quoted = JSON.stringify(value);
  if (options.ascii !== true) return quoted;
  return quoted.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
