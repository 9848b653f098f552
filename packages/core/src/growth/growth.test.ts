import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowthTally, type Growth } from '../index.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function tallied(texts: readonly string[], most?: number): Growth {
  const tally = new GrowthTally(sha256);
  for (const text of texts) tally.add(text);
  return tally.growth(most);
}

const bytesOf = (text: string): number => Buffer.byteLength(text);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

describe('GrowthTally', () => {
  it('says what each entry takes up, in how many states it is, and how often it is the same', () => {
    const files = JSON.stringify(Array.from({ length: 40 }, (_, at) => `file-${at}`));
    const texts = [`{"files": ${files}, "n": 1}`, `{"files": ${files}, "n": 1.0}`, `{"n":1, "name":"é"}`];
    const growth = tallied(texts);
    expect(growth).toMatchObject({ checkpoints: 3, bytes: bytesOf(texts.join('')), repeatedBytes: files.length + 1 });
    expect(growth.entries).toEqual([
      {
        key: 'files',
        bytes: 2 * files.length,
        checkpoints: 2,
        values: 1,
        repeatedBytes: files.length,
        largest: files.length,
      },
      { key: 'n', bytes: 5, checkpoints: 3, values: 2, repeatedBytes: 1, largest: 3 },
      { key: 'name', bytes: 4, checkpoints: 1, values: 1, repeatedBytes: 0, largest: 4 },
    ]);
  });

  it('counts a key that a state has twice as one entry of one state', () => {
    expect(tallied(['{"a":1,"\\u0061":1}']).entries).toEqual([
      { key: 'a', bytes: 2, checkpoints: 1, values: 1, repeatedBytes: 1, largest: 1 },
    ]);
  });

  it('has nothing but a frame where the state is not an object', () => {
    expect(tallied(['[1, 2]', '"text"'])).toEqual({
      checkpoints: 2,
      bytes: 12,
      repeatedBytes: 0,
      entries: [],
      rest: { entries: 0, bytes: 0 },
      frameBytes: 12,
    });
  });

  it('puts what is not listed into the rest', () => {
    const { entries, rest } = tallied(['{"a":"aaaa","b":"bb","c":3}'], 1);
    expect(entries.map(({ key }) => key)).toEqual(['a']);
    expect(rest).toEqual({ entries: 2, bytes: 5 });
  });

  it.each(['', '{"a":1', '{"\\x":1}', '{"a":1} 2'])('counts nothing of %j, which is not JSON', (broken) => {
    const tally = new GrowthTally(sha256);
    tally.add('{"a":1}');
    const before = tally.growth();
    expect(() => tally.add(broken)).toThrow(expect.objectContaining({ code: 'unreadable' }));
    expect(tally.growth()).toEqual(before);
  });

  it('takes names that objects have for names', () => {
    expect(tallied(['{"__proto__":{"a":1},"constructor":2}']).entries.map(({ key }) => key)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it('adds up, whatever the states are and in whatever order they come', () => {
    const key = fc.oneof(fc.constantFrom('messages', 'files', 'n'), fc.string({ unit: 'binary' }));
    const value = fc.oneof(
      fc.constantFrom('1', '1.0', 'true', '"é"', '[1, "{"]'),
      fc.jsonValue({ maxDepth: 1 }).map((one) => JSON.stringify(one)),
    );
    const members = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 4 });
    const state = fc.record({ members, space: fc.constantFrom('', ' ', '\n  ') });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 8 }), fc.nat({ max: 4 }), (states, most) => {
        const texts = states.map(({ members: pairs, space }) => {
          return `{${space}${pairs.map(([name, text]) => `${JSON.stringify(name)}:${space}${text}`).join(',')}}`;
        });
        const growth = tallied(texts, most);
        const whole = tallied(texts);
        expect(sum(growth.entries.map(({ bytes }) => bytes)) + growth.rest.bytes + growth.frameBytes).toBe(
          growth.bytes,
        );
        expect(growth.bytes).toBe(sum(texts.map(bytesOf)));
        expect(tallied(texts.toReversed())).toEqual(whole);
        const all = states.flatMap((one) => one.members);
        expect(whole.entries).toHaveLength(new Set(all.map(([name]) => name)).size);
        for (const entry of whole.entries) {
          const stored = all.filter(([name]) => name === entry.key).map(([, text]) => text);
          const different = [...new Set(stored)];
          const bytes = sum(stored.map(bytesOf));
          expect(entry).toEqual({
            key: entry.key,
            bytes,
            checkpoints: stored.length,
            values: different.length,
            repeatedBytes: bytes - sum(different.map(bytesOf)),
            largest: Math.max(...stored.map(bytesOf)),
          });
        }
      }),
    );
  });
});
