import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from './parse.ts';

const query = (text: string) => {
  const { query: read, problems } = parseQuery(text);
  expect(problems).toEqual([]);
  return read;
};
const terms = (text: string) => query(text).terms;
const filters = (text: string) => query(text).filters;
const problem = (text: string): string =>
  parseQuery(text)
    .problems.map(({ message }) => message)
    .join('|');

describe('parseQuery', () => {
  it('reads words, phrases and words to leave out', () => {
    expect(terms('API  timeout')).toEqual([{ text: 'API' }, { text: 'timeout' }]);
    expect(terms('"API timeout" -retry -"two words"')).toEqual([
      { text: 'API timeout' },
      { text: 'retry', not: true },
      { text: 'two words', not: true },
    ]);
    expect(terms('"say \\"hi\\""')).toEqual([{ text: 'say "hi"' }]);
    expect(terms('-> "-5" - <div>')).toEqual([{ text: '->' }, { text: '-5' }, { text: '-' }, { text: '<div>' }]);
  });

  it('reads paths with their values', () => {
    expect(terms('revenue.CompanyB:4200 $.context.cache:true')).toEqual([
      { path: 'revenue.CompanyB', text: '4200' },
      { path: '$.context.cache', text: 'true' },
    ]);
    expect(terms('query:"Rank A, B" $["a: b"].c:1 -score:0.5')).toEqual([
      { path: 'query', text: 'Rank A, B', exact: true },
      { path: '$["a: b"].c', text: '1' },
      { path: 'score', text: '0.5', not: true },
    ]);
    expect(terms('error:"" .status:404')).toEqual([
      { path: 'error', text: '', exact: true },
      { path: '.status', text: '404' },
    ]);
  });

  it('takes pasted messages, times and links as text', () => {
    expect(terms('Error: at 12:30:01 https://a.b/c :x')).toEqual(
      ['Error:', 'at', '12:30:01', 'https://a.b/c', ':x'].map((text) => ({ text })),
    );
  });

  it('reads filters', () => {
    expect(filters('status:failed -status:Pending trigger:error')).toEqual([
      { by: 'status', status: 'failed' },
      { by: 'status', status: 'pending', not: true },
      { by: 'trigger', trigger: 'error' },
    ]);
    expect(filters('agent:research task:"run 1" store:db system:native')).toEqual([
      { by: 'agent', text: 'research' },
      { by: 'task', text: 'run 1', exact: true },
      { by: 'store', text: 'db' },
      { by: 'system', text: 'native' },
    ]);
    expect(filters('>10MB <1.5kB >2MiB <100')).toEqual([
      { by: 'larger', bytes: 10_000_000 },
      { by: 'smaller', bytes: 1_500 },
      { by: 'larger', bytes: 2_097_152 },
      { by: 'smaller', bytes: 100 },
    ]);
    expect(filters('after:2026-01-01 before:2026-02-01T12:30 before:2026-02-01T12:30+02:00')).toEqual([
      { by: 'after', time: '2026-01-01T00:00:00.000Z' },
      { by: 'before', time: '2026-02-01T12:30:00.000Z' },
      { by: 'before', time: '2026-02-01T10:30:00.000Z' },
    ]);
  });

  it('names a token that is misspelt, and the known ones', () => {
    for (const [typed, meant] of [
      ['statsu', 'status'],
      ['stats', 'status'],
      ['agnet', 'agent'],
      ['tsk', 'task'],
      ['befor', 'before'],
      ['systen', 'system'],
      ['triggger', 'trigger'],
    ]) {
      expect(problem(`${typed}:x`)).toContain(`Unknown search term "${typed}:"; did you mean "${meant}:"`);
      expect(problem(`${typed}:x`)).toContain('status:, agent:, task:, store:, system:, trigger:, before:, after:');
    }
    expect(terms('state:x cache:true Aborted:1')).toHaveLength(3);
  });

  it('says what is wrong with a value, and where', () => {
    expect(problem('status:broken')).toMatch(/isn't a status. Known values are running, completed, failed/);
    expect(problem('trigger:cron')).toMatch(/isn't a trigger/);
    expect(problem('>10parsecs')).toMatch(/isn't a size/);
    expect(problem('before:yesterday')).toMatch(/isn't a date/);
    expect(problem('after:2026-13-40')).toMatch(/isn't a date/);
    expect(problem('task:')).toBe('"task:" needs a value.');
    expect(problem('-word')).toMatch(/only exclude words/);
    expect(parseQuery('a status:x').problems).toMatchObject([{ start: 2, end: 10 }]);
  });

  it('never throws, and gives words back as they were typed', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseQuery(text)));
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/), (word) => {
        expect(terms(`  ${word} `)).toEqual([{ text: word }]);
        expect(terms(`"${word} ${word}`)).toEqual([{ text: `${word} ${word}` }]);
      }),
    );
  });
});
