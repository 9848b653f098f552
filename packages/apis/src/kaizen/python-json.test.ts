import { fixture } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonNumber, kaizenDocument } from './write.ts';
import { InspectorError } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { copyData, parsePython, pythonFloat, pythonJson } from './python-json.ts';

// What Python's repr() gives for the same doubles.
const FLOATS: readonly (readonly [number, string])[] = [
  [0, '0.0'],
  [-0, '-0.0'],
  [1, '1.0'],
  [-1.5, '-1.5'],
  [0.1, '0.1'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [0.000123, '0.000123'],
  [1.5e-5, '1.5e-05'],
  [1e-7, '1e-07'],
  [123456.789, '123456.789'],
  [1e15, '1000000000000000.0'],
  [1e16, '1e+16'],
  [1.5e16, '1.5e+16'],
  [1e22, '1e+22'],
  [1e100, '1e+100'],
  [5e-324, '5e-324'],
  [0.1 + 0.2, '0.30000000000000004'],
  [NaN, 'NaN'],
  [-Infinity, '-Infinity'],
];

describe('pythonFloat', () => {
  it.each(FLOATS)('%d is %s', (value, text) => {
    expect(pythonFloat(value)).toBe(text);
  });
});

const ODD =
  '{"2": 1, "1": 0.0, "a": NaN, "b": [-Infinity, 1e400, 12345678901234567890, -0.0, 1.10], "__proto__": {"x": 2.0}}';

describe('pythonJson', () => {
  it('writes what parsePython read as it stood there, copies too', () => {
    expect(pythonJson(parsePython(ODD))).toBe(ODD);
    expect(pythonJson(copyData(parsePython(ODD)))).toBe(ODD);
    expect(pythonJson(parsePython('{"a": 1.0, "a": 2}'))).toBe('{"a": 2}');
  });

  it('forgets the spelling of what was changed', () => {
    const value = parsePython(ODD) as Record<string, unknown>;
    value['1'] = 3;
    value['b'] = [0];
    value['new'] = true;
    delete value['a'];
    expect(pythonJson(value)).toBe('{"2": 1, "1": 3, "b": [0], "__proto__": {"x": 2.0}, "new": true}');
  });

  it("writes values of one's own as json.dumps would", () => {
    const value = {
      n: 5,
      f: 0.5,
      big: 2 ** 60,
      huge: 1e21,
      text: 'é\u007f\n\u0001🦊\ud800"\\/',
      none: null,
      left: undefined,
    };
    expect(pythonJson(value)).toBe(
      '{"n": 5, "f": 0.5, "big": 1152921504606846976, "huge": 1e+21, ' +
        '"text": "\\u00e9\\u007f\\n\\u0001\\ud83e\\udd8a\\ud800\\"\\\\/", "none": null}',
    );
    expect(pythonJson({ forged: { numberText: '1}, {' } })).toBe('{"forged": {"numberText": "1}, {"}}');
  });

  it('refuses by name and place what JSON cannot hold', () => {
    const codeOf = (value: unknown): unknown => {
      try {
        return pythonJson(value);
      } catch (error) {
        return [InspectorError.from(error).code, InspectorError.from(error).data?.['path']];
      }
    };
    expect(codeOf({ a: [new Date()] })).toEqual(['invalid_input', '$.a[0]']);
    expect(codeOf({ a: new Map() })).toEqual(['invalid_input', '$.a']);
    expect(codeOf([undefined])).toEqual(['invalid_input', '$[0]']);
    expect(codeOf({ a: Symbol('s') })).toEqual(['invalid_input', '$.a']);
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    expect(codeOf(cycle)).toMatchObject(['invalid_input', expect.stringContaining('$[0][0]')]);
    expect(() => copyData({ cycle })).toThrow('deep');
    expect(() => parsePython('['.repeat(5000) + ']'.repeat(5000))).toThrow('deep');
  });
});

describe('kaizenDocument', () => {
  it('spells a document as Kaizen does', async () => {
    const stored = await readFile(join(fixture('plain'), 'ckpt_593661d7fd60.jsonl'), 'utf8');
    const written = kaizenDocument({
      checkpoint_id: 'ckpt_593661d7fd60',
      agent_id: 'done_agent',
      timestamp: '2026-03-14T10:06:53.589793+00:00',
      step_number: 1,
      status: 'completed',
    });
    expect(`${written}\n`).toBe(stored);
    const odd = {
      checkpoint_id: 'a',
      agent_id: 'é🦊',
      timestamp: 't',
      memory_contents: { x: jsonNumber('1.50'), big: 12345678901234567890n },
    };
    expect(kaizenDocument(odd)).toContain('"memory_contents": {"x": 1.50, "big": 12345678901234567890}');
    expect(kaizenDocument(odd)).toContain('"agent_id": "\\u00e9\\ud83e\\udd8a"');
    expect(kaizenDocument({ ...odd, metadata: { x: NaN } })).toContain('"metadata": {"x": NaN}');
    expect(() => kaizenDocument({ ...odd, metadata: { x: () => 1 } })).toThrow('a function (at $.metadata.x)');
    expect(() => jsonNumber('0x1')).toThrow();
  });
});
