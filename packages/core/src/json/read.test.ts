import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { InspectorError } from '../errors.ts';
import { plainNode } from '../testing/plain-node.ts';
import { fromJsonText, memberOf, parseJson, sourceOf, stringOf } from './index.ts';

/** Texts that every JSON reader accepts. */
const ACCEPTED = [
  '0',
  '-0',
  '1',
  '-1',
  '10',
  '123',
  '1.0',
  '-1.5',
  '0.0',
  '0.1',
  '1e1',
  '1E1',
  '1e+1',
  '1e-1',
  '1.5E+10',
  '0e0',
  '0e+1',
  '1e400',
  '-1e400',
  '1e-400',
  '12345678901234567890',
  '-12345678901234567890',
  '0.12345678901234567890123',
  '""',
  '"a"',
  '"\\""',
  '"\\\\"',
  '"\\/"',
  '"\\b\\f\\n\\r\\t"',
  '"\\u0041"',
  '"\\u00E9"',
  '"\\u00e9"',
  '"é"',
  '"e\u0301"',
  '"\\ud83d\\ude00"',
  '"😀"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\ud800"',
  '"\\u0000"',
  '"\u2028\u2029"',
  '"\\u2028"',
  '"\u007f"',
  '"\ufeff"',
  '"//"',
  '"/* */"',
  '"\uffff"',
  '" "',
  '"[1,2]"',
  'true',
  'false',
  'null',
  ' null',
  'null ',
  '\t\n\r 1 \t\n\r',
  '\n1',
  '[]',
  '[ ]',
  '[\n]',
  '[1]',
  '[1,2]',
  '[ 1 , 2 ]',
  '[[]]',
  '[[],[]]',
  '[null,true,false,"",0,{},[]]',
  '[1\n,\n2]',
  '{}',
  '{ }',
  '{"a":1}',
  '{ "a" : 1 }',
  '{"a":1,"b":2}',
  '{"":0}',
  '{"":{"":""}}',
  '{"a":{"b":{"c":[]}}}',
  '{"a":[{}]}',
  '{"__proto__":1}',
  '{"constructor":{"prototype":1}}',
  '{"toString":null}',
  '{"a.b":1,"_t":"a"}',
  '{"\\u0061":1}',
  '{"\\ud800":1}',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"0":0,"00":1}',
  '[{"a":[{"b":[{}]}]}]',
];

/** Texts that every strict JSON reader refuses, with the offset of the defect. */
const REFUSED: readonly (readonly [string, number])[] = [
  ['', 0],
  [' ', 1],
  ['\ufeff1', 0],
  ['\u00a01', 0],
  ['\u000b1', 0],
  ['\f1', 0],
  ['1 2', 2],
  ['1,', 1],
  ['[', 1],
  ['[1', 2],
  ['[1,', 3],
  ['[,]', 1],
  ['[1,]', 3],
  ['[1,,2]', 3],
  ['[1 2]', 3],
  ['[1;2]', 2],
  ['[1}', 2],
  [']', 0],
  ['[]]', 2],
  ['[][]', 2],
  ['{', 1],
  ['{"a"', 4],
  ['{"a":', 5],
  ['{"a":1', 6],
  ['{"a":1,', 7],
  ['{"a":1,}', 7],
  ['{,}', 1],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['{1:1}', 1],
  ['{"a" 1}', 5],
  ['{"a":}', 5],
  ['{"a"::1}', 5],
  ['{"a":1 "b":2}', 7],
  ['{"a":1]', 6],
  ['{null:1}', 1],
  ['{"a":1}}', 7],
  ['{"a":1,,"b":2}', 7],
  ['{[]:1}', 1],
  ['}', 0],
  [':', 0],
  [',', 0],
  ['+1', 0],
  ['01', 1],
  ['-01', 2],
  ['00', 1],
  ['-', 1],
  ['--1', 1],
  ['1.', 2],
  ['.1', 0],
  ['-.1', 1],
  ['1.e1', 2],
  ['1e', 2],
  ['1e+', 3],
  ['1e-', 3],
  ['1e1.5', 3],
  ['1.2.3', 3],
  ['1a', 1],
  ['0x10', 1],
  ['1_000', 1],
  ['1n', 1],
  ['\uff11', 0],
  ['NaNN', 3],
  ['nan', 0],
  ['+Infinity', 0],
  ['--Infinity', 1],
  ['Inf', 0],
  ['-Inf', 1],
  ['-NaN', 1],
  ['infinity', 0],
  ['tru', 0],
  ['True', 0],
  ['TRUE', 0],
  ['truee', 4],
  ['nul', 0],
  ['None', 0],
  ['undefined', 0],
  ['fals', 0],
  ['"', 1],
  ['"a', 2],
  ["'a'", 0],
  ['"\\"', 3],
  ['"\\a"', 2],
  ['"\\x41"', 2],
  ['"\\u"', 3],
  ['"\\u12"', 5],
  ['"\\u12G4"', 5],
  ['"\\U0041"', 2],
  ['"\\\u0000"', 2],
  ['"\n"', 1],
  ['"\t"', 1],
  ['"\u0000"', 1],
  ['"\u001f"', 1],
  ['"a"b', 3],
  ['"\\', 2],
  ['// a\n1', 0],
  ['/* a */1', 0],
  ['1 // a', 2],
  ['[1/**/]', 2],
  ['# 1', 0],
  ['`a`', 0],
  ['[...]', 1],
  ['(1)', 0],
  ['<1>', 0],
];

describe('parseJson', () => {
  it.each(ACCEPTED)('accepts %j as JSON.parse does', (text) => {
    const node = parseJson(text);
    expect(sourceOf(text, node)).toBe(text.trim());
    if (!/\d{17}/.test(text)) expect(fromJsonText(text)).toEqual(JSON.parse(text));
  });

  it.each(REFUSED)('refuses %j at offset %d', (text, offset) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(refusalOf(text)).toEqual({ code: 'unreadable', data: { offset } });
  });

  it.each(['NaN', 'Infinity', '-Infinity'])('reads %s, which Python writes, as a number', (text) => {
    expect(parseJson(text)).toEqual({ kind: 'number', start: 0, end: text.length });
    expect(fromJsonText(`{"a":[${text}, 1]}`)).toEqual({ a: [Number(text), 1] });
  });

  it('keeps every number as it is written', () => {
    const numbers = ['12345678901234567890', '1e400', '-0', '1.0', '1', '0.12345678901234567890123', '1E+2'];
    const text = `[${numbers.join(', ')}]`;
    const root = parseJson(text);
    expect(root.kind === 'array' && root.items.map((item) => sourceOf(text, item))).toEqual(numbers);
  });

  it('gives offsets of keys and values', () => {
    const text = ' {"a\\n" : [1, {}]} ';
    expect(plainNode(parseJson(text))).toEqual({
      kind: 'object',
      start: 1,
      end: 18,
      members: [
        {
          key: 'a\n',
          keyStart: 2,
          keyEnd: 7,
          value: {
            kind: 'array',
            start: 10,
            end: 17,
            items: [
              { kind: 'number', start: 11, end: 12 },
              { kind: 'object', start: 14, end: 16, members: [] },
            ],
          },
        },
      ],
    });
  });

  it('flags duplicate keys, in small and in large objects, and keeps them in order', () => {
    for (const fill of [0, 7, 8, 9, 100]) {
      const others = Array.from({ length: fill }, (_, i) => `"k${i}":0,`).join('');
      const text = `{"a":1,${others}"\\u0061":2,"b":3,"a":4}`;
      const root = parseJson(text);
      if (root.kind !== 'object') throw new Error('an object was written');
      const flags = root.members.filter((member) => member.duplicate).map((member) => sourceOf(text, member.value));
      expect(flags).toEqual(['2', '4']);
      expect(root.members).toHaveLength(fill + 4);
      expect(memberOf(root, 'a')?.value.start).toBe(text.length - 2);
    }
  });

  it('flags a duplicate of any key of a large object', () => {
    const keys = [...Array.from({ length: 30 }, (_, i) => `k${i}`), 'k3', 'k9', 'k29', 'k30'];
    const root = parseJson(`{${keys.map((key) => `"${key}":0`).join(',')}}`);
    const flagged = root.kind === 'object' && root.members.filter((member) => member.duplicate).map(({ key }) => key);
    expect(flagged).toEqual(['k3', 'k9', 'k29']);
  });

  it('does not take equal keys of different objects for duplicates', () => {
    const inner = `{${Array.from({ length: 20 }, (_, i) => `"k${i}":0`).join(',')}}`;
    const text = `{"k0":${inner},"k1":${inner},"k2":[${inner},${inner}]}`;
    const read = JSON.stringify(plainNode(parseJson(text)));
    expect(read).toContain('keyStart');
    expect(read).not.toContain('duplicate');
  });

  it('keeps lone surrogates, NUL and line separators', () => {
    const text = '["\\ud800","\ud800","\\u0000","\u2028","\\u2028"]';
    const root = parseJson(text);
    const strings = root.kind === 'array' ? root.items.map((item) => stringOf(text, item)) : [];
    expect(strings).toEqual(['\ud800', '\ud800', '\0', '\u2028', '\u2028']);
  });

  it.each([
    ['[', '', ']'],
    ['{"a":', '1', '}'],
    ['[{"a":[', '', ']}]'],
  ])('reads 200,000 levels of %s', (open, core, close) => {
    const text = open.repeat(200_000) + core + close.repeat(200_000);
    expect(parseJson(text).end).toBe(text.length);
    expect(refusalOf(text.slice(0, -1))).toEqual({ code: 'unreadable', data: { offset: text.length - 1 } });
  });

  it('makes nodes of a text although others have been read since', () => {
    const root = parseJson('{"a":[1,{"b":"c"}]}');
    parseJson('["another","text","with","more","values"]');
    expect(plainNode(root)).toEqual(plainNode(parseJson('{"a":[1,{"b":"c"}]}')));
  });

  it('reads a text of 300,000 values, and one before it', () => {
    const text = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => ({ n: [n % 10] })));
    const root = parseJson(text);
    const items = root.kind === 'array' ? root.items : [];
    expect(items).toHaveLength(100_000);
    for (const at of [0, 1, 65_535, 99_999]) {
      const start = 1 + at * '{"n":[0]},'.length;
      expect(plainNode(items[at] ?? root)).toMatchObject({ start, end: start + 9, members: [{ keyStart: start + 1 }] });
    }
  });

  it('says what it expected and what it found', () => {
    expect(() => parseJson('{"a":tru}')).toThrow('Not JSON at offset 5: expected a value, found "t".');
    expect(() => parseJson('[1')).toThrow('Not JSON at offset 2: expected "," or "]", found the end.');
  });

  it('reads 5 MB in linear time', () => {
    const message = { id: 'm', role: 'user', content: 'What changed? '.repeat(8), meta: { tokens: 1, ok: true } };
    const ofLength = (count: number) => JSON.stringify(Array.from({ length: count }, () => message));
    const texts = new Map([2_000, 32_000].map((count) => [count, ofLength(count)]));
    expect(texts.get(32_000)?.length).toBeGreaterThan(5_000_000);
    expect(growth((count) => parseJson(texts.get(count) ?? ''), 32_000)).toBeLessThan(LINEAR);
  });
});

function refusalOf(text: string): { code: string; data: unknown } | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    return { code: error.code, data: error.data };
  }
}
