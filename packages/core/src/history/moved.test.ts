import { describe, expect, it } from 'vitest';
import { formatPath, parsePath } from '../json/path.ts';
import { placeAfter } from './moved.ts';

const place = (before: string, after: string, path: string): string | undefined => {
  const found = placeAfter(before, after, parsePath(path));
  return found && formatPath(found);
};

const arrayOf = (...items: readonly string[]): string => `[${items.join(',')}]`;

describe('where a value went', () => {
  it('with all that holds it', () => {
    expect(place('{"a":{"x":4200,"y":1}}', '{"b":{"y":1,"x":4200}}', '$.a.x')).toBe('$.b.x');
    expect(place('{"a":{"x":4200,"y":1}}', '{"b":{"x":4200,"z":2}}', '$.a.x')).toBe('$.b.x');
    expect(place('{"a":{"x":4200}}', '{"total":4200}', '$.a.x')).toBe('$.total');
  });

  it('with its array element', () => {
    const [one, two, three] = ['{"id":1,"t":"one"}', '{"id":2,"t":"two"}', '{"id":3,"t":"three"}'] as const;
    const list = arrayOf(one, two, three);
    expect(place(list, arrayOf(three, one, two), '$[2].t')).toBe('$[0].t');
    expect(place(list, arrayOf(two, three), '$[2].t')).toBe('$[1].t');
    expect(place(list, arrayOf('{"id":9}', one, two, three), '$[0].t')).toBe('$[1].t');
    expect(place(list, arrayOf(one, three), '$[1].t')).toBeUndefined();
  });

  it('is unknown of a value that is in many places', () => {
    expect(place('{"a":true}', '{"b":true}', '$.a')).toBeUndefined();
    expect(place('{"a":0,"c":{}}', '{"b":0}', '$.a')).toBeUndefined();
    expect(place('{"a":"x"}', '{"b":"x"}', '$.a')).toBeUndefined();
    expect(place('{"a":42}', '{"b":42,"c":42}', '$.a')).toBeUndefined();
    expect(place('{"a":42,"b":42}', '{"c":42}', '$.a')).toBeUndefined();
  });

  it('is unknown when it is still there, was overwritten or never was', () => {
    expect(place('{"a":42}', '{"a":42,"b":42}', '$.a')).toBeUndefined();
    expect(place('{"a":{"x":42}}', '{"a":"gone","b":42}', '$.a.x')).toBeUndefined();
    expect(place('{}', '{"b":42}', '$.a')).toBeUndefined();
  });
});
