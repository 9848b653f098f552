import { StatusError } from './status-error.ts';

export interface ByteRange {
  readonly from: number;
  /** Just past the last byte. */
  readonly to: number;
}

/**
 * The one range of a Range header; `undefined` for the whole, also where the header is of another kind.
 * @throws InspectorError invalid_input (416) for a range that begins after the end
 * @example byteRange('bytes=0-99', 1000) // { from: 0, to: 100 }
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  const [first, last] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (size === 0 || (first === '' && last === '')) return undefined;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to };
  throw new StatusError(416, 'invalid_input', `There are ${size} bytes; the range "${header}" is outside of them.`, {
    remedy: 'Ask for a range that begins before the end.',
    headers: { 'content-range': `bytes */${size}` },
  });
}
