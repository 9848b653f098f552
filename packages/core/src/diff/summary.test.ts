import { describe, expect, it } from 'vitest';
import { diffJson, summaryLine } from './index.ts';

function line(before: string, after: string, ignore: readonly string[] = []): string {
  return summaryLine(diffJson(before, after, { ignore }));
}

describe('summaryLine', () => {
  it.each([
    ['{"a":1}', '{"a":1}', 'no change'],
    ['{"revenue":{"CompanyB":4.2}}', '{"revenue":{"CompanyB":4200}}', 'revenue.CompanyB 4.2 → 4200'],
    ['{"a":0}', '{"a":"0"}', 'a 0 → "0"'],
    ['{"a":{}}', '{"a":[]}', 'a {} → []'],
    ['{}', '{"next":"plan"}', '+next "plan"'],
    ['{}', '{"plan":{"steps":[1]}}', '+plan'],
    ['{"error":"x"}', '{}', '−error'],
    ['{"m":[1,2,3,4]}', '{"m":[4,1,9,3,8]}', 'm[2] 2 → 9, m +1 ↕1'],
    ['[1,2]', '[]', 'state −2'],
    ['1', '2', 'state 1 → 2'],
    ['{"a.b":{"":1}}', '{"a.b":{"":2}}', '["a.b"][""] 1 → 2'],
  ])('%s to %s: %s', (before, after, expected) => {
    expect(line(before, after)).toBe(expected);
  });

  it('says small changes near the root first and counts the rest', () => {
    const before = '{"messages":[],"text":"short","deep":{"er":{"x":1}},"status":"running","u":1,"v":1,"w":1}';
    const long = JSON.stringify('a long text that does not fit into a line of a list');
    const after = `{"messages":[1,2],"text":${long},"deep":{"er":{"x":2}},"status":"done","u":2,"v":2,"w":2}`;
    expect(line(before, after)).toBe('status "running" → "done", messages +2, text changed, and 4 more');
  });

  it('says what was said last, once, and only counts what is no message of a person or a model', () => {
    const user = '{"role":"user","content":"go on"}';
    const answer = JSON.stringify({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Third\n answer.' }],
    });
    const result = '{"type":"function_call_output","call_id":"c","output":"Chunk ID: 1"}';
    const added = (...items: readonly string[]): string => `{"items":[${items.join(',')}],"n":2}`;
    const said = (after: string, beside?: string) => summaryLine(diffJson('{"items":[],"n":1}', after), beside);
    expect(said(added(user, answer), 'go on')).toBe('items +2 “Third answer.”, and 1 more');
    expect(said(added(user), 'user: go on')).toBe('items +1, and 1 more');
    expect(said(added(user, result), 'ls')).toBe('items +2, and 1 more');
    expect(said(added('{"n":1}'))).toBe('items +1, and 1 more');
    const long = JSON.stringify({
      role: 'assistant',
      content: `${'word '.repeat(7)}ghp_${'a1B2'.repeat(9)} ${'x'.repeat(99)}`,
    });
    expect(said(added(long))).toBe('items +1 “word word word word word word word ghp_•…”, and 1 more');
    expect(summaryLine(diffJson('{"s":"a","m":[]}', `{"s":"a long word here","m":[${long}]}`))).toBe(
      's "a" → "a long word here", m +1',
    );
  });

  it('only counts a counter that went up, unless nothing else changed', () => {
    expect(line('{"step":1,"to":{"x":4}}', '{"step":2,"to":{"x":9}}')).toBe('to.x 4 → 9, and 1 more');
    expect(line('{"step":1}', '{"step":2}')).toBe('step 1 → 2');
  });

  it('says the message of an error and never its step', () => {
    const state = (step: number, message: string) =>
      JSON.stringify({ lastError: { stepIndex: step, message }, plan: [{ status: message }] });
    expect(line(state(2, 'no answer'), state(4, 'rank is wrong'))).toMatch(/^lastError\.message "no answer" → /);
  });

  it('says values in their letters', () => {
    expect(line('{"name":"a"}', String.raw`{"name":"\u0430\u0433\u0435\u043d\u0442 \u202e"}`)).toBe(
      String.raw`name "a" → "агент \u202e"`,
    );
  });

  it('says a number that became exactly ten times as large before others', () => {
    expect(summaryLine(diffJson('{"s":1,"x":{"y":1}}', '{"s":5,"x":{"y":10}}'))).toBe('x.y 1 → 10, s 1 → 5');
  });

  it('says a number that became a thousand times larger first', () => {
    expect(summaryLine(diffJson('{"ttl":0,"x":{"y":4.2}}', '{"ttl":"0","x":{"y":4200}}'))).toBe(
      'x.y 4.2 → 4200, ttl 0 → "0"',
    );
  });

  it('names a long text without its value', () => {
    expect(line('{"content":"a"}', JSON.stringify({ content: 'b'.repeat(100) }))).toBe('content changed');
  });

  it('shortens a long path to its end', () => {
    expect(
      line(
        '{"some":{"very":{"long":{"path":{"leads":{"here":1}}}}}}',
        '{"some":{"very":{"long":{"path":{"leads":{"here":2}}}}}}',
      ),
    ).toBe('leads.here 1 → 2');
  });

  it('counts all rows that are not said', () => {
    const before = JSON.stringify(Array.from({ length: 1_000 }, (_, i) => ({ id: i, v: 1 })));
    const after = JSON.stringify(Array.from({ length: 1_000 }, (_, i) => ({ id: i, v: 2 })));
    expect(line(before, after)).toMatch(/^\[0\]\.v 1 → 2, .*, and 99\d more$/);
    expect(line(before, after).length).toBeLessThan(80);
  });

  it('stays short for a key without end', () => {
    expect(line('{}', JSON.stringify({ ['k'.repeat(5_000)]: 1 })).length).toBeLessThan(80);
  });

  it('says when only ignored values changed', () => {
    expect(line('{"at":1}', '{"at":2}', ['$.at'])).toBe('only ignored changes');
  });

  it('says of a secret that it changed, and no more', () => {
    expect(line('{"pin":4711}', '{"pin":4712}')).toBe('pin changed');
    expect(line('{}', '{"password":"hunter2"}')).toBe('+password');
  });
});
