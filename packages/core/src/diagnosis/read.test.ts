import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, type JsonNode } from '../json/index.ts';
import { readTree } from './read.ts';
import { statesOfRun } from './testing/states.ts';
import { isContainer, sourceOf, type Node } from './tree.ts';

/** What a tree says, told as `parseJson` would. */
function told(node: Node): unknown {
  const text = sourceOf(node);
  if (node.kind === 'array') return { text, items: node.items.map(told) };
  if (node.kind !== 'object') return { text, kind: node.kind };
  return { text, members: node.members.map(({ key, value, isDuplicate }) => [key, told(value), isDuplicate]) };
}

function parsed(text: string, node: JsonNode): unknown {
  const own = text.slice(node.start, node.end);
  if (node.kind === 'array') return { text: own, items: node.items.map((item) => parsed(text, item)) };
  if (node.kind !== 'object') return { text: own, kind: node.kind };
  const members = node.members.map(({ key, value, duplicate }) => [key, parsed(text, value), duplicate === true]);
  return { text: own, members };
}

describe('readTree', () => {
  it('reads what parseJson reads, whatever stood there before', () => {
    fc.assert(
      fc.property(statesOfRun, (texts) => {
        let before: Node | undefined;
        for (const text of texts) {
          before = readTree(text, before);
          expect(told(before)).toEqual(parsed(text, parseJson(text)));
        }
      }),
    );
  });

  it('refuses what parseJson refuses, also where the state before was well', () => {
    const before = readTree('{"a":[1,2,{"b":"c"}],"d":12}');
    const wrong = [
      '{"a":[1,2,{"b":"c"}],"d":12',
      '{"a":[1,2,{"b":"c"}]"d":12}',
      '{"a":[1,2,{"b":"c"}],"d":12.}',
      '[1,]',
      '',
    ];
    for (const text of wrong) {
      expect(() => parseJson(text)).toThrow(/Not JSON/);
      expect(() => readTree(text, before), text).toThrow(/Not JSON/);
    }
  });

  it('takes no number for the beginning of a longer one', () => {
    const before = readTree('{"a":12,"b":[1,0]}');
    const { root } = { root: readTree('{"a":123,"b":[1.5,0e1]}', before) };
    expect(told(root)).toEqual(parsed('{"a":123,"b":[1.5,0e1]}', parseJson('{"a":123,"b":[1.5,0e1]}')));
  });

  it('tells duplicate keys, also among many', () => {
    const many = Array.from({ length: 20 }, (_, at) => `"k${at}":${at}`).join(',');
    const texts = [`{${many},"k3":1,"k3":2}`, `{"k3":0,${many}}`, `{${many},"k19":{"k0":1}}`];
    let before: Node | undefined;
    for (const text of texts) {
      before = readTree(text, before);
      expect(told(before)).toEqual(parsed(text, parseJson(text)));
    }
  });

  it('reads at any depth', () => {
    const text = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(readTree(`[${text}]`, readTree(text)).kind).toBe('array');
  });

  it('shares what did not change with the state before', () => {
    const rows = Array.from({ length: 30 }, (_, at) => ({ id: `row-${at}`, tags: ['a', at], note: { by: 'x' } }));
    const texts = [
      rows,
      rows.toSpliced(4, 1),
      [{ id: 'new' }, ...rows],
      rows.with(9, { ...rows[9], note: { by: 'y' } } as never),
    ];
    const first = readTree(JSON.stringify({ rows, step: 1 }));
    const known = new Set(nodesOf(first));
    const fresh = texts.map(
      (one) =>
        nodesOf(readTree(JSON.stringify({ rows: one, step: 2 }), first)).filter((node) => !known.has(node)).length,
    );
    // The root, the list and the step; and the entry that came, or the parts of the one that changed.
    expect(fresh).toEqual([2, 3, 5, 6]);
  });
});

function nodesOf(root: Node): Node[] {
  const inner = isContainer(root) ? Array.from({ length: root.size }, (_, at) => root.nodeAt(at)) : [];
  return [root, ...inner.flatMap((node) => (node ? nodesOf(node) : []))];
}
