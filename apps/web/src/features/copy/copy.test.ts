import { type CheckpointMeta, maskSecrets, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import {
  checkpointMarkdown,
  cliCall,
  code,
  curlCall,
  diffMarkdown,
  mcpCall,
  shellWord,
  type ViewPlace,
} from './markdown.ts';

const place = (more: Partial<ViewPlace> = {}): ViewPlace => ({
  view: 'changes',
  at: { store: 'research-db', task: "it's a run", id: 'ckpt/07' },
  base: { store: 'research-db', task: "it's a run", id: 'ckpt-06' },
  location: './my stores/research.db',
  origin: 'http://127.0.0.1:4600',
  rules: undefined,
  ...more,
});

describe('a view as a call', () => {
  it('of the command line', () => {
    expect(cliCall(place())).toBe(
      `checkpoint-inspector diff ckpt-06 ckpt/07 --task 'it'\\''s a run' -s './my stores/research.db'`,
    );
    expect(cliCall(place({ rules: [] }))).toContain(' --all ');
    expect(cliCall(place({ rules: ['$.a b'] }))).toContain(` --ignore '$.a b' `);
    expect(cliCall(place({ view: 'raw', location: undefined }))).toMatch(/ show ckpt\/07 --task .* --raw$/);
    expect(cliCall(place({ base: undefined }))).toContain(' show ckpt/07 ');
    expect(cliCall(place({ at: { store: 's', task: 't', namespace: 'n s', id: 'c' }, view: 'meta' }))).toContain(
      `--ns 'n s' --meta`,
    );
  });

  it('of HTTP, without the token', () => {
    const call = curlCall(place());
    expect(call).toContain('Bearer $TOKEN');
    expect(new URL(call.split("'")[1] ?? '').searchParams.get('b')).toContain('ckpt');
    expect(curlCall(place({ view: 'state' }))).toContain(
      '/api/stores/research-db/checkpoints/ckpt%2F07/state?task=it%27s',
    );
    expect(curlCall(place({ view: 'state' })).split("'")).toHaveLength(3);
  });

  it('of a tool', () => {
    expect(JSON.parse(mcpCall(place()))).toMatchObject({
      method: 'tools/call',
      params: { name: 'checkpoint_load', arguments: { sessionId: "it's a run", checkpointId: 'ckpt/07' } },
    });
  });

  it('quotes what a shell would take apart', () => {
    for (const text of ['$(rm)', 'a;b', '', '`x`', 'a\nb', '"']) expect(shellWord(text)).toBe(`'${text}'`);
  });
});

const meta: CheckpointMeta = {
  store: storeId('s'),
  id: 'c2',
  taskId: 'run_1',
  lineage: 'recorded',
  seq: 2,
  timeBasis: 'none',
  status: 'completed',
  description: 'plan *step* | <b>',
  labels: [],
  sizeBytes: 1200,
  isLatest: true,
};
const KEY = `sk-ant-${'a1B2'.repeat(8)}`;
const source = { meta, storeLabel: 'a.db', link: 'http://127.0.0.1/c/s/c2', shown: maskSecrets };

describe('a view as Markdown', () => {
  it('keeps values as code and secrets masked', () => {
    const text = diffMarkdown({
      ...source,
      base: { ...meta, seq: 1 },
      summary: { added: 0, removed: 0, changed: 1, moved: 1 },
      ignoreRules: ['$.time'],
      items: [
        { path: '$.a', kind: 'changed', before: `"${KEY}"`, after: '"x | `y`"' },
        { path: '$.m[1]', kind: 'moved', from: '$.m[4]' },
      ],
    });
    expect(text).toContain('### #01 → #02 plan \\*step\\* \\| \\<b\\>');
    expect(text).toContain('+0 −0 ~1 ↕1, without `$.time`');
    expect(text).toContain('| ~ | `$.a` | `"sk-a••••"` | ``"x \\| `y`"`` |');
    expect(text).toContain('| ↕ | `$.m[1]` | from `$.m[4]` | |');
    expect(text).not.toContain(KEY);
  });

  it('has the state of a checkpoint in a fence that it cannot close', () => {
    const text = checkpointMarkdown({ ...source, text: `{"a":"\`\`\`","k":"${KEY}"}` });
    expect(text).toContain('````json\n{"a":"```"');
    expect(text).not.toContain(KEY);
  });

  it('code holds any signs', () => {
    expect([code('a'), code('a`b'), code('`a')]).toEqual(['`a`', '``a`b``', '`` `a ``']);
  });
});
