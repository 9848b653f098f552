import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InspectorError } from '../errors.ts';
import { formatPath, type Path } from './path.ts';
import type { JsonNode } from './node.ts';
import { parseJson } from './read.ts';
import { walkJson } from './walk.ts';

/** The same walk over the nodes of `parseJson`. */
function* nodesOf(node: JsonNode, path: Path = []): Generator<string> {
  const holds = node.kind === 'object' ? node.members.length : node.kind === 'array' ? node.items.length : 0;
  yield `${formatPath(path)} ${node.kind} ${node.start} ${holds > 0 ? 'open' : node.end}`;
  if (node.kind === 'object') for (const { key, value } of node.members) yield* nodesOf(value, [...path, key]);
  if (node.kind === 'array') for (const [at, item] of node.items.entries()) yield* nodesOf(item, [...path, at]);
}

const walked = (text: string): string[] =>
  [...walkJson(text)].map(({ path, kind, start, end }) => `${path} ${kind} ${start} ${end ?? 'open'}`);

function offsetOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return InspectorError.is(error) ? error.data?.['offset'] : error;
  }
  return 'no error';
}

describe('walkJson', () => {
  it('meets every value with its path and place, containers first', () => {
    expect(walked(' {"a": [1, {}, []], "x y": {"": "é\\n"}, "a": NaN} ')).toEqual([
      '$ object 1 open',
      '$.a array 7 open',
      '$.a[0] number 8 9',
      '$.a[1] object 11 13',
      '$.a[2] array 15 17',
      '$["x y"] object 27 open',
      '$["x y"][""] string 32 37',
      '$.a number 45 48',
    ]);
  });

  it('agrees with parseJson on any text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\n\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(walked(text)).toEqual([...nodesOf(parseJson(text))]);
      }),
    );
  });

  it('refuses what parseJson refuses, at the same offset', () => {
    for (const text of [
      '',
      '{',
      '[',
      '[1',
      '[1,',
      '[1,]',
      '{"a"',
      '{"a":',
      '{"a":1,',
      '{,}',
      '[1 2]',
      '{"a":1]',
      '1 2',
      '{1:2}',
      '"a',
      'nul',
      '[}',
    ])
      expect([text, offsetOf(() => [...walkJson(text)])]).toEqual([text, offsetOf(() => parseJson(text))]);
  });

  it('stops and continues, and minds no depth', () => {
    const depth = 100_000;
    const walk = walkJson(`${'['.repeat(depth)}1${']'.repeat(depth)}`);
    walk.next();
    let count = 1;
    for (const visit of walk) {
      count += 1;
      if (count === 3) expect(visit.path).toBe('$[0][0]');
      if (count === 50) break;
    }
    expect(count).toBe(50);
  });
});
