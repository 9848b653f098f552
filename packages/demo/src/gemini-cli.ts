import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ago } from './seeding.ts';

const SESSION = '5b1d7a52-3f0c-4e7b-9a41-d1c2b3a49e60';
const MODEL = 'gemini-2.5-pro';

type Fields = Readonly<Record<string, unknown>>;

/** What is recorded, by how many seconds before now. */
type Told = readonly [secondsAgo: number, id: string, fields: Fields];

const prompt = (text: string): Fields => ({ type: 'user', content: [{ text }] });

const answer = (content: string, tokens: number, calls: readonly Fields[] = []): Fields => ({
  type: 'gemini',
  content,
  thoughts: [],
  tokens: { input: tokens - 80, output: 80, cached: 0, thoughts: 0, tool: 0, total: tokens },
  model: MODEL,
  ...(calls.length > 0 ? { toolCalls: calls } : {}),
});

const call = (id: string, name: string, args: Fields, output: string): Fields => ({
  id,
  name,
  args,
  status: 'success',
  result: [{ functionResponse: { id, name, response: { output } } }],
});

const todos = (...done: readonly ('completed' | 'in_progress' | 'pending')[]): Fields => ({
  todos: ['Find the failing test', 'Fix the time zone', 'Run the tests'].map((description, at) => ({
    description,
    status: done[at] ?? 'pending',
  })),
});

const TOLD: readonly Told[] = [
  [1_860, 'u1', prompt('The date test fails on my machine only. Why?')],
  [
    1_842,
    'a1',
    answer('I will look at the test.', 4_210, [
      call(
        'c1',
        'read_file',
        { path: 'src/dates.test.ts' },
        "expect(format(new Date('2026-03-01'))).toBe('1 March 2026')",
      ),
      call('c2', 'write_todos', todos('completed', 'in_progress'), 'Updated.'),
    ]),
  ],
  [
    1_815,
    'a2',
    answer('`format` uses the time zone of the machine, so west of Greenwich it is still 28 February.', 4_980),
  ],
  [1_760, 'u2', prompt('Fix it in the test.')],
  [
    1_731,
    'a3',
    answer('I set the time zone in the test.', 5_640, [
      call('c3', 'replace', { path: 'src/dates.test.ts', new_string: "process.env.TZ = 'UTC';" }, 'Replaced 1 place.'),
    ]),
  ],
  [1_700, 'a4', answer('The test sets `TZ` now, and passes.', 6_020)],
];

const AGAIN: readonly Told[] = [
  [1_540, 'u3', prompt('Rather fix `format`, users see the wrong day too.')],
  [
    1_508,
    'a5',
    answer('Then it has to format in UTC.', 5_710, [
      call('c4', 'replace', { path: 'src/dates.ts', new_string: "timeZone: 'UTC'," }, 'Replaced 1 place.'),
      call('c5', 'run_shell_command', { command: 'npm test' }, '42 passed'),
      call('c6', 'write_todos', todos('completed', 'completed', 'completed'), 'Updated.'),
    ]),
  ],
  [1_490, 'a6', answer('`format` uses UTC, and all 42 tests pass.', 6_330)],
];

/** A session of Gemini CLI in a project: a first fix, a rewind, and a better one. */
export async function seedGeminiCli(home: string, now: Date): Promise<void> {
  const project = join(home, 'tmp', 'shop-web');
  await mkdir(join(project, 'chats'), { recursive: true, mode: 0o700 });
  const begun = ago(now, 1_862);
  const header = { sessionId: SESSION, projectHash: 'shop-web', startTime: begun, lastUpdated: begun, kind: 'main' };
  const record = ([seconds, id, fields]: Told): Fields => ({ id, timestamp: ago(now, seconds), ...fields });
  const records = [header, ...TOLD.map(record), { $rewindTo: 'u2' }, ...AGAIN.map(record)];
  const minute = begun.slice(0, 16).replace(':', '-');
  const text = records.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(project, 'chats', `session-${minute}-${SESSION.slice(0, 8)}.jsonl`), text, { mode: 0o600 });
  await writeFile(join(home, 'projects.json'), JSON.stringify({ projects: { '/home/ann/shop-web': 'shop-web' } }));
}
