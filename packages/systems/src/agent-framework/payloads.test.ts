import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from './fixtures/open.ts';
import { pickled, pickleOf } from './fixtures/python.ts';
import { pickleGlobals, UNKNOWN_GLOBAL } from './opcodes.ts';
import { payloadsOf, typesToAllow } from './payloads.ts';

const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));
const raw = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)))),
  );

describe('pickled values', () => {
  it('of a real checkpoint are named by place, type and size', async () => {
    const text = await readFile(join(fixture('counter-forks'), '25125298-15b8-4ffa-8ec7-adf9a444f701.json'), 'utf8');
    const found = payloadsOf(text);
    expect(found.map(({ path, type, sizeBytes }) => [path, type, sizeBytes])).toEqual([
      ['$.messages.relay[0]', 'agent_framework._workflows._runner_context:WorkflowMessage', 235],
      ['$.state.when', 'datetime:datetime', 98],
      ['$.state.price', 'decimal:Decimal', 46],
      ['$.state.pair', 'builtins:tuple', 22],
    ]);
    expect(found[1]?.globals).toEqual(['datetime:datetime', 'datetime:timezone', 'datetime:timedelta']);
    expect(typesToAllow(found)).toEqual([]);
  });

  it('tell the 3 of 12 real checkpoints that Agent Framework lists without allowed types', async () => {
    const names = await readdir(fixture('hitl'));
    const texts = await Promise.all(names.map((name) => readFile(join(fixture('hitl'), name), 'utf8')));
    const types = texts.map((text) => typesToAllow(payloadsOf(text)));
    expect(types.filter((list) => list.length === 0)).toHaveLength(3);
    expect(new Set(types.flat())).toEqual(new Set(['demo_flows:Brief', 'demo_flows:ApprovalRequest']));
  });

  it('of the legacy encoding have type and size, and no names inside', async () => {
    const text = await readFile(join(fixture('legacy-2025-09'), '123c422b-ac22-42c8-83ad-a3404447e86f.json'), 'utf8');
    expect(payloadsOf(text)).toEqual([
      { path: '$.messages.upper[0].data', encoding: 'legacy', type: 'demo_flows:Brief', sizeBytes: expect.any(Number) },
    ]);
  });

  it('that are damaged, or none at all, stay data', () => {
    const text = JSON.stringify({
      a: { __pickled__: '***', __type__: 'x:Y' },
      b: { __pickled__: 'AAAA' },
      c: [pickled('m:N')],
    });
    expect(payloadsOf(text)).toEqual([
      { path: '$.a', encoding: 'pickle', type: 'x:Y', sizeBytes: 3 },
      { path: '$.c[0]', encoding: 'pickle', type: 'm:N', sizeBytes: expect.any(Number), globals: ['m:N'] },
    ]);
    expect(payloadsOf('{"__af_model__": "m:N"}')).toEqual([]);
  });

  it('are never run: a pickle that would call os.system is a name and a size', () => {
    const evil = raw('cposix\nsystem\n(S"touch /tmp/never"\ntR.');
    expect(pickleGlobals(evil)).toEqual(['posix:system']);
    const text = JSON.stringify({
      state: { x: { __pickled__: Buffer.from(evil).toString('base64'), __type__: 'builtins:int' } },
    });
    expect(typesToAllow(payloadsOf(text))).toEqual(['posix:system']);
    expect(typesToAllow(payloadsOf(JSON.stringify(pickled('agent_framework.x:a.b'))))).toEqual([
      'agent_framework.x:a.b',
    ]);
  });
});

describe('opcodes', () => {
  it('follow the memo, and say where a name is not plain', () => {
    expect(pickleGlobals(bytes(pickleOf(['a', 'B'], ['c', 'D'])))).toEqual(['a:B', 'c:D']);
    expect(
      pickleGlobals(
        raw(
          [0x80, 4],
          'X',
          [1, 0, 0, 0],
          'm',
          'q',
          [0],
          '0',
          [0x8c, 1],
          'N',
          'q',
          [1],
          '0h',
          [0],
          'h',
          [1],
          [0x93],
          '.',
        ),
      ),
    ).toEqual(['m:N']);
    expect(pickleGlobals(raw('N', [0x93], '.'))).toEqual([UNKNOWN_GLOBAL]);
    expect(pickleGlobals(raw([0x82, 1], '.'))).toEqual([UNKNOWN_GLOBAL]);
  });

  it('end at the first byte that is none, and at the end of the bytes', () => {
    expect(pickleGlobals(raw([0x80, 5]))).toBeUndefined();
    expect(pickleGlobals(raw([0xff], '.'))).toBeUndefined();
    expect(pickleGlobals(raw('cposix\nsystem'))).toBeUndefined();
    expect(pickleGlobals(raw([0x8d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], '.'))).toBeUndefined();
    expect(pickleGlobals(raw('B', [4, 0, 0, 0], 'abcd', 'F1.5\n.'))).toEqual([]);
  });
});
