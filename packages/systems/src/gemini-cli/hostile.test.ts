import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTROL, HTML, LONG, shownOf } from '../log/fixtures/hostile.ts';
import { chatsOf, openChats } from './fixtures/open.ts';
import { answer, called, header, prompt, set } from './fixtures/records.ts';

const FILE = 'session-2026-11-22T03-05-s1.jsonl';
const UNREADABLE = expect.stringMatching(/^byte-\d+$/);
const SNAPSHOT = expect.stringMatching(/#snapshot$/);

const everywhere = (words: string) => ({
  ...called(words, words, [[words, words, words]]),
  timestamp: words,
  model: words,
  thoughts: words,
});

/** Lines between the first prompt and the last, and the checkpoints that they are. */
const CASES: readonly [string, readonly (object | string)[], readonly string[]][] = [
  ['HTML in every field', [everywhere(HTML), set({ summary: HTML, directories: [HTML] })], [HTML]],
  ['control characters in every field', [everywhere(CONTROL), set({ summary: CONTROL })], [CONTROL]],
  ['HTML in a call', [called('g', '', [[HTML, HTML, HTML]])], ['g']],
  ['an unknown type', [{ ...prompt('odd', 'odd'), type: HTML }], []],
  ['a line of 10 MB', [answer('long', LONG)], ['long']],
  ['10 MB that are no JSON', [`{"${LONG}`], [UNREADABLE]],
  [
    'an id twice',
    [prompt('twice', 'one'), answer('other', 'x'), prompt('twice', 'two')],
    ['twice', 'other', 'twice#2'],
  ],
  [
    'names of what every object has',
    [prompt('__proto__', 'odd'), answer('constructor', 'x')],
    ['__proto__', 'constructor'],
  ],
  ['a list with itself in it', [set({ messages: [prompt('k', 'one'), prompt('k', 'two')] })], [SNAPSHOT]],
  ['rewinds to nowhere', [{ $rewindTo: HTML }, { $rewindTo: '' }], [`${HTML}#rewind`, '#rewind']],
  ['values of other types', ['7', 'null', '[]', '{"id":7}', '{"$set":[]}', '{"$rewindTo":{}}'], []],
];

it.each(CASES)('%s: no line is hidden, and what comes after is shown', async (_what, lines, ids) => {
  const chats = await chatsOf({ [FILE]: [header(), prompt('first', 'before'), ...lines, prompt('last', 'after')] });
  const { size } = await stat(join(chats, FILE));
  await appendFile(join(chats, FILE), '{"torn');
  const shown = await shownOf(await openChats(chats), 's1');
  expect(shown.ids).toEqual([`${header().startTime}#start`, 'first', ...ids, 'last']);
  expect(shown.bytes).toBe(size);
  expect(shown.note).toContain('6 bytes without an end');
  expect(shown.latest).toMatch(/"text":"after"\}\]\}\]\}$/);
  for (const words of shown.descriptions) {
    expect(words).not.toMatch(/\p{Cc}/u);
    expect(words.length).toBeLessThan(150);
  }
});
