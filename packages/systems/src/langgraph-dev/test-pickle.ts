/** For tests: pickles of protocol 2 as Python writes them, piece by piece. */

export type Piece = Buffer;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

export const raw = (...codes: readonly (number | string)[]): Piece =>
  Buffer.concat(codes.map((code) => (typeof code === 'number' ? Buffer.of(code) : Buffer.from(code, 'latin1'))));
export const none = raw('N');
export const text = (value: string): Piece => {
  const utf8 = Buffer.from(value);
  return Buffer.concat([raw('X'), uint32(utf8.length), utf8]);
};
export const number = (value: number): Piece => Buffer.concat([raw('J'), uint32(value >>> 0)]);
export const tuple = (...items: readonly Piece[]): Piece => Buffer.concat([raw('('), ...items, raw('t')]);
export const dict = (...pairs: readonly (readonly [Piece, Piece])[]): Piece =>
  Buffer.concat([raw('}('), ...pairs.flat(), raw('u')]);
export const named = (module: string, name: string): Piece => raw(`c${module}\n${name}\n`);
export const call = (callable: Piece, ...args: readonly Piece[]): Piece =>
  Buffer.concat([callable, tuple(...args), raw('R')]);
export const bytes = (value: Uint8Array | string): Piece =>
  call(named('_codecs', 'encode'), text(Buffer.from(value).toString('latin1')), text('latin1'));
/** `(type, bytes)`, as a serializer gives a value. */
export const typed = (type: string, value: Uint8Array | string): Piece => tuple(text(type), bytes(value));
export const pickle = (value: Piece): Uint8Array => Buffer.concat([raw(0x80, 2), value, raw('.')]);
