import { appendFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CONTROL, HTML, LONG, shownOf } from '../log/fixtures/hostile.ts';
import { SESSION, sessionOf } from './fixtures/open.ts';

const said = (uuid: string, parentUuid: string | null, text: string, more = {}) => ({
  parentUuid,
  sessionId: SESSION,
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text }] },
  uuid,
  timestamp: '2026-03-01T10:00:00.000Z',
  ...more,
});

const everywhere = (words: string) => ({
  ...said(words, 'first', words),
  message: { role: words, id: words, model: words, stop_reason: words, content: [{ type: 'text', text: words }] },
  sessionId: words,
  timestamp: words,
  cwd: words,
  gitBranch: words,
  version: words,
  agentId: words,
});

/** Lines between the first and the last, and the checkpoints that they are. */
const CASES: readonly [string, readonly (object | string)[], readonly string[]][] = [
  ['HTML in every field', [everywhere(HTML), { ...everywhere(HTML), type: HTML, uuid: 'typed' }], [HTML]],
  ['control characters in every field', [everywhere(CONTROL)], [CONTROL]],
  ['HTML in a call', [call(HTML)], [HTML]],
  ['control characters in a call', [call(CONTROL)], [CONTROL]],
  ['a line of 10 MB', [said('long', 'first', LONG)], ['long']],
  ['10 MB that are no JSON', [`{"${LONG}`], ['byte-209']],
  ['parents in a circle', [said('c1', 'c2', 'one'), said('c2', 'c1', 'two')], ['c1', 'c2']],
  ['its own parent', [said('self', 'self', 'round')], ['self']],
  ['a parent twice', [said('twice', 'first', 'one'), said('twice', 'twice', 'two')], ['twice']],
  ['names of what every object has', [said('__proto__', 'constructor', 'odd')], ['__proto__']],
  ['values of other types', ['7', 'null', '[]', '{"uuid":7}', '{"type":[],"uuid":"u","message":"m"}'], []],
];

function call(words: string) {
  const content = [{ type: 'tool_use', id: words, name: words, input: { command: words } }];
  return { ...said('call', 'first', ''), type: 'assistant', message: { role: 'assistant', content } };
}

it.each(CASES)('%s: no line is hidden, and what comes after is shown', async (_what, lines, ids) => {
  const { source, path } = await sessionOf([said('first', null, 'before'), ...lines, said('last', 'first', 'after')]);
  const { size } = await stat(path);
  await appendFile(path, '{"torn');
  const shown = await shownOf(source, SESSION);
  // A line that can't be read comes before what may still go on behind it.
  expect(shown.ids.toSorted()).toEqual([...ids, 'first', 'last'].toSorted());
  expect(shown.bytes).toBe(size);
  expect(shown.note).toContain('6 bytes without an end');
  expect(JSON.parse(shown.latest)).toMatchObject({ messages: [{ role: 'user' }, { content: [{ text: 'after' }] }] });
  for (const words of shown.descriptions) {
    expect(words).not.toMatch(/\p{Cc}/u);
    expect(words.length).toBeLessThan(150);
  }
});
