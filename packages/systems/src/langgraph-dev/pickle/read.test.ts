/** Pickles are read as data: nothing of them runs, whatever they hold, and reading them ends. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPython } from '../python.ts';
import { databaseOf, type RowSink } from '../rows.ts';
import { bytes, call, dict, named, none, number, pickle, raw, text, tuple } from '../test-pickle.ts';
import { metadataOfPickle } from './metadata.ts';
import { codeOf, opcodeName } from './machine.ts';
import { FILE_RULES, FILE_STEPS, readPickle } from './read.ts';
import { Dict, Text } from './value.ts';

const read = (value: Uint8Array) => readPickle(value, FILE_RULES);
const fixture = (n: number) =>
  new Uint8Array(
    readFileSync(new URL(`../fixtures/py/.langgraph_api/.langgraph_checkpoint.${n}.pckl`, import.meta.url)),
  );
const nowhere: RowSink = { checkpoint: () => undefined, write: () => undefined, blob: () => undefined };

/** What was thrown, which is of our own kind; `undefined` where nothing was. */
function thrownBy(work: () => unknown): InspectorError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(InspectorError);
    return InspectorError.from(error);
  }
}

test('dicts, tuples, texts, numbers and bytes are read, in the order in which they are stored', () => {
  const root = read(
    pickle(dict([tuple(text('é'), number(-3)), bytes(Uint8Array.of(0, 127, 128, 255))], [text(''), none])),
  );
  if (!(root instanceof Dict)) throw new Error('A dict is read as one.');
  const [[key, value] = [], last] = root.entries;
  expect(Array.isArray(key) && key.map(String)).toEqual(['é', '-3']);
  expect(value).toEqual(Uint8Array.of(0, 127, 128, 255));
  expect([String(last?.[0]), last?.[1]]).toEqual(['', null]);
  expect(read(pickle(call(named('__builtin__', 'bytes'))))).toEqual(new Uint8Array());
  expect(read(pickle(call(named('collections', 'defaultdict'), named('__builtin__', 'dict'))))).toEqual(new Dict());
});

describe('what is refused, by its name', () => {
  test.each([
    'os.system',
    'subprocess.Popen',
    'builtins.eval',
    '__builtin__.getattr',
    '__builtin__.dict.__init__',
    'langgraph_api.auth.User',
  ])('%s', (name) => {
    const at = name.lastIndexOf('.');
    const folder = mkdtempSync(join(tmpdir(), 'pickle-test-'));
    const marker = join(folder, 'marker');
    const value = pickle(call(named(name.slice(0, at), name.slice(at + 1)), text(`touch ${marker}`)));
    const error = thrownBy(() => read(value));
    expect([error?.code, error?.message]).toEqual(['unsupported_version', expect.stringContaining(`names ${name},`)]);
    expect(thrownBy(() => readPython({ checkpoints: value }, nowhere))?.message).toMatch(/file of checkpoints.*names /);
    expect(existsSync(marker)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['encode in another character set', call(named('_codecs', 'encode'), text('a'), text('rot13'))],
    ['encode with one argument', call(named('_codecs', 'encode'), text('a'))],
    ['a dict of something', call(named('__builtin__', 'dict'), dict())],
    ['a defaultdict of bytes', call(named('collections', 'defaultdict'), named('__builtin__', 'bytes'))],
    ['something that is not a name', call(text('a'), text('b'))],
  ])('a known name in another form: %s', (_what, value) => {
    expect(thrownBy(() => read(pickle(value)))?.message).toMatch(/calls .*that LangGraph doesn't write/);
  });

  const known = new Set([...FILE_STEPS.keys(), codeOf('STOP')]);
  test.each(Array.from({ length: 256 }, (_, code) => code).filter((code) => !known.has(code)))('opcode %i', (code) => {
    const error = thrownBy(() => read(Uint8Array.of(0x80, 2, code, 0x2e)));
    expect(error?.message).toContain(`opcode ${opcodeName(code)} at byte 2`);
  });
});

describe('what is damaged or hostile', () => {
  test.each([
    ['nothing', new Uint8Array()],
    ['no protocol', raw('N.')],
    ['an end that is missing', raw(0x80, 2, 'N')],
    ['more after the end', raw(0x80, 2, 'N.N')],
    ['two values', raw(0x80, 2, 'NN.')],
    ['a mark that is left', raw(0x80, 2, '(N.')],
    ['no mark', raw(0x80, 2, 't.')],
    ['a value from below the mark', raw(0x80, 2, 'N(\x85.')],
    ['a memo that was never written', raw(0x80, 2, 'h\x09.')],
    ['members of a tuple', raw(0x80, 2, ')NNs.')],
    ['a key without a value', raw(0x80, 2, '}(Nu.')],
    ['a text longer than the file', raw(0x80, 2, 'X\xff\xff\xff\xff.')],
    ['Latin-1 of another character', pickle(call(named('_codecs', 'encode'), text('€'), text('latin1')))],
  ])('%s', (_what, value) => {
    expect(thrownBy(() => read(value))?.code).toBe('unreadable');
  });

  test('depth, marks, the stack and the number of opcodes are bounded', () => {
    const codes = (count: number, code: string) => Buffer.concat([raw(0x80, 2), Buffer.alloc(count, code)]);
    expect(thrownBy(() => read(codes(2_000_000, '(')))?.code).toBe('too_large');
    expect(thrownBy(() => read(codes(2_000_000, 'N')))?.code).toBe('too_large');
    const remembered = Buffer.concat([raw(0x80, 2, 'N'), Buffer.alloc(18_000_000, 'q\x00')]);
    expect(thrownBy(() => read(remembered))?.message).toContain('opcodes');
    const nested = Buffer.concat([raw(0x80, 2, 'N'), Buffer.alloc(1_000_000, 0x85), raw('.')]);
    expect(thrownBy(() => read(nested))).toBeUndefined();
  });

  test('one dict in very many places is not unfolded without end', () => {
    const inner = dict(...Array.from({ length: 3_000 }, (_, n) => [text(`id${n}`), none] as const));
    const again = Array.from({ length: 3_000 }, (_, n) => Buffer.concat([text(`t${n}`), raw('h\x01')]));
    const spaces = Buffer.concat([dict([text(''), inner]), raw('q\x01')]);
    const value = pickle(Buffer.concat([raw('}('), text('t'), spaces, ...again, raw('u')]));
    expect(thrownBy(() => databaseOf(value.length, (into) => readPython({ checkpoints: value }, into)))?.code).toBe(
      'too_large',
    );
  });

  const opcodes = fc.constantFrom(...FILE_STEPS.keys(), codeOf('STOP'));
  const isQuick = (work: () => unknown): void => {
    const start = performance.now();
    thrownBy(work);
    expect(performance.now() - start).toBeLessThan(5_000);
  };

  test('any bytes, and any order of known opcodes, end in a value or in an error of ours', () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.oneof(opcodes, fc.integer({ min: 0, max: 255 })), { maxLength: 200 }),
    );
    fc.assert(
      fc.property(body, (codes) => {
        const value = Uint8Array.of(0x80, 2, ...codes);
        isQuick(() => read(value));
        isQuick(() => readPython({ checkpoints: value, writes: value, blobs: value }, nowhere));
        isQuick(() => metadataOfPickle(value));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([1, 2, 3])('file %i, cut anywhere or with any bytes changed', (n) => {
    const whole = fixture(n);
    const ofFile = (value: Uint8Array) =>
      isQuick(() =>
        readPython(
          {
            checkpoints: fixture(1),
            ...(n === 1 ? { checkpoints: value } : n === 2 ? { writes: value } : { blobs: value }),
          },
          nowhere,
        ),
      );
    const place = fc.nat({ max: whole.length - 1 });
    fc.assert(
      fc.property(place, (at) => {
        const cut = whole.subarray(0, at);
        expect(thrownBy(() => read(cut))).toBeDefined();
        ofFile(cut);
      }),
      { numRuns: 60 },
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(place, fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
        (changes) => {
          const changed = whole.slice();
          for (const [at, byte] of changes) changed[at] = byte;
          ofFile(changed);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('metadata that Python has pickled', () => {
  // pickle.dumps of a dict with an object of langgraph_api.auth.noop.UnauthenticatedUser, whose token is "hunter2".
  const DUMPED =
    'TQEAAAAAAAB9lCiMBnNvdXJjZZSMBGxvb3CUjARzdGVwlEsBjAdwYXJlbnRzlH2UjBNsYW5nZ3JhcGhfYXV0aF91c2VylIwXbGFuZ2dyYXBoX2FwaS5hdXRoLm5vb3CUjBNVbmF1dGhlbnRpY2F0ZWRVc2VylJOUKYGUfZSMBXRva2VulIwHaHVudGVyMpRzYowGcnVuX2lklIwCcjGUjANiaWeUigkAAAAAAAAAAECMA25lZ5RK+////4wBZpRHP/AAAAAAAACMAm9rlIiMBHRhZ3OUXZQojAFhlIwBYpRljAR3aGVulIwIZGF0ZXRpbWWUjAhkYXRldGltZZSTlEMKB+oBAQAAAAAAAJSFlFKUjAVieXRlc5RDAgD/lIwCb2SUjAtjb2xsZWN0aW9uc5SMC09yZGVyZWREaWN0lJOUKVKUaBZLAXOMAXOUj5QoSwGQdS4=';

  test.each([4, 5])('protocol %i: plain values are read, objects are their names', (protocol) => {
    const value = Buffer.concat([raw(0x80, protocol, 0x95), Buffer.from(DUMPED, 'base64')]);
    expect(metadataOfPickle(value)).toBe(
      '{"source":"loop","step":1,"parents":{},"langgraph_auth_user":{"$type":"langgraph_api.auth.noop.UnauthenticatedUser"},"run_id":"r1","big":1180591620717411303424,"neg":-5,"f":1.0,"ok":true,"tags":["a","b"],"when":{"$type":"datetime.datetime"},"bytes":{"$type":"bytes","size":2,"base64":"AP8="},"od":{"$type":"collections.OrderedDict"},"s":{"$type":"builtins.set"}}',
    );
  });

  test('a value in itself, or very many times, is refused', () => {
    expect(thrownBy(() => metadataOfPickle(raw(0x80, 4, ']\x94h\x00a.')))?.code).toBe('too_large');
    const doubling = Array.from({ length: 40 }, (_, n) => raw('q', n, 'h', n, '\x86'));
    expect(thrownBy(() => metadataOfPickle(pickle(Buffer.concat([text('a'), ...doubling]))))?.code).toBe('too_large');
  });
});

test('a text is decoded only where it is a text', () => {
  const bad = new Text(Uint8Array.of(0xff));
  expect(thrownBy(() => bad.toString())?.code).toBe('unreadable');
  expect(thrownBy(() => bad.latin1())?.code).toBe('unreadable');
});
