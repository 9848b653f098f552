/** What MessagePack puts before a value: always the shortest, as Python's serializer does. */

/** A number of 1, 2 or 4 bytes after the code for that width. */
function sized(codes: readonly [one: number | undefined, two: number, four: number], size: number): Buffer {
  const [one, two, four] = codes;
  if (one !== undefined && size < 0x100) return Buffer.from([one, size]);
  if (size < 0x1_0000) return Buffer.from([two, size >> 8, size & 0xff]);
  const head = Buffer.from([four, 0, 0, 0, 0]);
  head.writeUInt32BE(size, 1);
  return head;
}

export function textBytes(text: string): Uint8Array {
  const body = Buffer.from(text, 'utf8');
  const size = body.length;
  return Buffer.concat([size < 32 ? Buffer.from([0xa0 | size]) : sized([0xd9, 0xda, 0xdb], size), body]);
}

export function mapHead(size: number): Uint8Array {
  return size < 16 ? Buffer.from([0x80 | size]) : sized([undefined, 0xde, 0xdf], size);
}

export function arrayHead(size: number): Uint8Array {
  return size < 16 ? Buffer.from([0x90 | size]) : sized([undefined, 0xdc, 0xdd], size);
}

export const bytesHead = (size: number): Uint8Array => sized([0xc4, 0xc5, 0xc6], size);

export function extensionHead(code: number, size: number): Uint8Array {
  const fixed = [1, 2, 4, 8, 16].indexOf(size);
  const head = fixed >= 0 ? Buffer.from([0xd4 + fixed]) : sized([0xc7, 0xc8, 0xc9], size);
  return Buffer.concat([head, Buffer.from([code & 0xff])]);
}

/** A number of JSON text: integers of 64 bits exactly, all else as a float. `undefined` for what Python has no such text. */
export function numberBytes(token: string): Uint8Array | undefined {
  if (!/^-?\d+$/.test(token)) return floatBytes(token);
  const value = BigInt(token);
  if (value < -(2n ** 63n) || value >= 2n ** 64n) return undefined;
  if (value >= -32n && value < 128n) return Buffer.from([Number(value) & 0xff]);
  const isNegative = value < 0n;
  const room = isNegative ? -value - 1n : value >> 1n;
  const width = [7, 15, 31].findIndex((bits) => (isNegative ? room : value >> 1n) < 2n ** BigInt(bits));
  const bytes = Buffer.alloc(9);
  if (isNegative) bytes.writeBigInt64BE(value, 1);
  else bytes.writeBigUInt64BE(value, 1);
  const size = width < 0 ? 8 : 1 << width;
  return Buffer.concat([Buffer.from([(isNegative ? 0xd0 : 0xcc) + (width < 0 ? 3 : width)]), bytes.subarray(9 - size)]);
}

function floatBytes(token: string): Uint8Array {
  const head = Buffer.alloc(9, 0xcb);
  head.writeDoubleBE(token === 'NaN' ? Number.NaN : Number(token), 1);
  return head;
}
