/** Names of Python's pickle opcodes, for what is refused. Source: Python's `pickletools`, protocols 0 to 5. */
import { InspectorError } from '@checkpoint-inspector/core';

const NAMES: readonly (readonly [first: number, names: string])[] = [
  [0x28, 'MARK EMPTY_TUPLE'],
  [0x2e, 'STOP'],
  [0x30, 'POP POP_MARK DUP'],
  [0x42, 'BINBYTES SHORT_BINBYTES'],
  [0x46, 'FLOAT BINFLOAT'],
  [0x49, 'INT BININT BININT1 LONG BININT2 NONE'],
  [0x50, 'PERSID BINPERSID REDUCE STRING BINSTRING SHORT_BINSTRING UNICODE'],
  [0x58, 'BINUNICODE'],
  [0x5d, 'EMPTY_LIST'],
  [0x61, 'APPEND BUILD GLOBAL DICT APPENDS'],
  [0x67, 'GET BINGET INST LONG_BINGET'],
  [0x6c, 'LIST'],
  [0x6f, 'OBJ PUT BINPUT LONG_BINPUT SETITEM TUPLE SETITEMS'],
  [0x7d, 'EMPTY_DICT'],
  [
    0x80,
    'PROTO NEWOBJ EXT1 EXT2 EXT4 TUPLE1 TUPLE2 TUPLE3 NEWTRUE NEWFALSE LONG1 LONG4 SHORT_BINUNICODE BINUNICODE8 BINBYTES8 EMPTY_SET ADDITEMS FROZENSET NEWOBJ_EX STACK_GLOBAL MEMOIZE FRAME BYTEARRAY8 NEXT_BUFFER READONLY_BUFFER',
  ],
];

const byCode = new Map<number, string>();
for (const [first, names] of NAMES) {
  let code = first;
  for (const name of names.split(' ')) byCode.set(code++, name);
}
const byName = new Map([...byCode].map(([code, name]) => [name, code]));

/** @example opcodeName(0x52) // 'REDUCE' */
export const opcodeName = (code: number): string => byCode.get(code) ?? `0x${code.toString(16).padStart(2, '0')}`;

/** The code of a name in the table. */
export function codeOf(name: string): number {
  const code = byName.get(name);
  if (code === undefined) throw new InspectorError('internal', `No opcode is called ${name}.`);
  return code;
}
