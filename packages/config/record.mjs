// Records what a built command answers, so that two builds can be compared: verbs with --json, plans with --dry-run, MCP
// tools, about stores that are the same at every run: a native one, Claude Code's, PostgreSQL, copies of those named.
import { execFile, spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const [TASKS, AT_ONCE] = [6, 3];
/** They serve, write, or need a bundle, which has the time of its making. */
const SKIPPED = ['open', 'mcp', 'label', 'note', 'reclaim', 'import'];
/** Options without which a verb says little, or that show another part of its answer. */
const WITH = {
  show: [[], ['--meta', '--reveal'], ['--path', '$']],
  diff: [[], ['--steps']],
  tree: [[], ['--lanes']],
  prune: [['--keep-last', '1']],
  edit: [['--set', '$.recorded=1']],
  search: [['--wait', '60']],
};
const PATHS = ['$', '$.revenue', '$.messages', '$.total'];
const WORDS = ['error', 'status:failed', 'revenue', '42'];

const [done, failed] = [{ status: 'completed' }, { status: 'failed', trigger: 'error' }];
/** Steps of a run: what each changes in the state, and what is saved beside it. */
const SALES = [
  [{ goal: 'Rank by revenue', agent: { name: 'ranker', api_key: 'sk-demo-not-a-real-key-0123456789abcdef' } }],
  [{ plan: ['fetch', 'rank'], messages: [{ role: 'user', content: 'Rank A and B by revenue' }] }],
  [{ revenue: { A: 5.1, B: 4.2 }, source: { from: 'filing', unit: 'USD bn' } }],
  [{ lastError: { message: 'Time-out after 30 s' } }, failed],
  [{ lastError: undefined, messages: [{ role: 'tool', content: '{"B":4200,"unit":"USD m"}' }] }],
  [{ revenue: { A: 5.1, B: 4200 }, source: { from: 'cache', unit: 'USD m' } }],
  [{ ranking: ['B', 'A'], summary: 'B leads with 4200. '.repeat(20) }],
];
const RUNS = {
  broken: [...SALES, [{ lastError: { message: '$.revenue.B is 4200: more than all others' } }, failed]],
  good: [...SALES.slice(0, 3), [{ ranking: ['A', 'B'] }, done]],
  checked: [...SALES.slice(0, 3), [{ checks: [{ name: 'sum', passed: false, message: 'off by 3' }] }, done]],
  forked: [...SALES, [{ ranking: ['A', 'B'] }, { ...done, from: 3 }]],
  'counts up': Array.from({ length: 30 }, (_, at) => [{ count: at, total: (at * (at + 1)) / 2, large: 2 ** 40 + at }]),
  'only/talk': ['Hello', 'What is 6 × 7?', '42'].map((content) => [{ messages: [{ role: 'assistant', content }] }]),
};

async function seed(store) {
  let minutes = 0;
  for (const [task, steps] of Object.entries(RUNS)) {
    const states = [{}];
    for (const [at, [change, { from = at, ...facts } = {}]] of steps.entries()) {
      const value = { ...states[from], step: at + 1, ...change };
      const createdAt = new Date(Date.UTC(2025, 0, 1) + ++minutes * 60_000).toISOString();
      const cost = { durationMs: 100 + at, tokenUsage: 10 * at, costUsd: at / 1000, agentId: 'ranker' };
      const parent = from === 0 ? {} : { parent: { task, id: `${task}-${from}` } };
      const place = { id: `${task}-${at + 1}`, task, stepIndex: at + 1, ...parent };
      await store.save({ ...place, value, status: 'running', createdAt, ...cost, ...facts });
      states.push(value);
    }
  }
  await store.close();
}

async function makeStores(work, given) {
  const library = (name) => import(pathToFileURL(join(root, 'apps/cli/dist/lib/stores', name)).href);
  await seed(await (await library('sqlite.js')).openSqliteStore({ path: join(work, 'native.db') }));
  const claude = join(root, 'packages/systems/src/claude-code/fixtures/sessions/.claude');
  const copies = [claude, ...given].map((path, at) => {
    const target = join(`copy-${at}`, basename(path));
    cpSync(path, join(work, target), { recursive: true, preserveTimestamps: true });
    return { name: at === 0 ? 'claude-code' : basename(path), target };
  });
  const server = await startPostgres(work);
  if (server) await seed(await (await library('postgres.js')).openPostgresStore({ url: server.target }));
  return [{ name: 'native', target: 'native.db' }, ...copies, ...(server ? [{ name: 'postgres', ...server }] : [])];
}

/** As the tests do, with the programs of the machine; it ends with us. */
async function startPostgres(cwd) {
  const debian = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`);
  const places = [...(process.env['PATH'] ?? '').split(delimiter), ...debian];
  const found = places.find((one) => existsSync(join(one, 'initdb')) && existsSync(join(one, 'postgres')));
  if (found === undefined) return console.log('skipped  postgres: its programs are not installed');
  // PostgreSQL does not run as root.
  const users = process.getuid?.() === 0 ? readFileSync('/etc/passwd', 'utf8') : '';
  const [, uid, gid] = /^(?:postgres|nobody):[^:]*:(\d+):(\d+)/m.exec(users) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'record-postgres-'));
  const bin = dirname(realpathSync(join(found, 'postgres')));
  const told = { folder, owner: process.pid, bin, account: uid && { uid: Number(uid), gid: Number(gid) } };
  const keeper = join(root, 'packages/io/src/testing/postgres-keeper.mjs');
  spawn(process.execPath, [keeper, JSON.stringify(told)], { cwd, detached: true, stdio: 'ignore' }).unref();
  while (!existsSync(join(folder, 'ready.json')) && !existsSync(join(folder, 'failed.txt'))) await sleep(50);
  const { port, password } = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'));
  return { target: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, secret: password };
}

function run(command, args, options, input = '') {
  return new Promise((ended) => {
    const answer = (error, out, err) => ended({ exit: error ? (error.code ?? 'no answer') : 0, out, err });
    const limits = { ...options, timeout: 120_000, maxBuffer: 2 ** 30 };
    const child = execFile(process.execPath, [command, ...args], limits, answer);
    child.stdin.on('error', () => undefined).end(input);
  });
}

const segment = (id) => (/^[.~]/.test(id) ? '~' : '') + encodeURIComponent(id);

/** What verbs and tools may need, by its name: one set for each of some checkpoints of the first tasks. */
async function lookAt({ target }, ask) {
  const json = async (...args) => JSON.parse((await ask([...args, '--store', target, '--json'])).out);
  const tasks = (await json('tasks')).items.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, TASKS);
  const names = tasks.map(({ store, id }) => `${store}/${segment(id)}`);
  const looked = names.map(async (task, n) => {
    const all = (await json('list', task)).items.filter(({ problem }) => problem === undefined).reverse();
    const nths = new Set([0, 1 / 3, 2 / 3, 1].map((part) => Math.round(part * (all.length - 1))));
    const picked = all.filter((_one, nth) => nths.has(nth));
    return picked.map((one, nth) => {
      const checkpoint = [task, ...(one.namespace ? [segment(one.namespace)] : []), segment(one.id)].join('/');
      const place = { task, checkpoint, checkpoints: [checkpoint], at: nth === 0 ? task : checkpoint };
      const pair = { a: `${task}/${segment(picked[0].id)}`, b: checkpoint, other: names[(n + 1) % names.length] };
      const change = { edits: [{ path: '$.recorded', value: 1 }], state: { recorded: true }, reason: 'recorded' };
      const words = { sessionId: tasks[n].id, path: PATHS[nth], query: WORDS[nth] };
      return { ...place, ...pair, ...change, ...words, from: target, to: 'copied.db', shell: 'bash' };
    });
  });
  return (await Promise.all(looked)).flat();
}

/** The different sets of these; `undefined` where one of the names is unknown. */
function waysOf(verb, names, sets) {
  const given = sets.map((set) => (verb === 'compare' ? { ...set, a: set.task, b: set.other } : set));
  if (given.some((set) => names.some((name) => !(name in set)))) return undefined;
  const texts = given.map((set) => JSON.stringify(Object.fromEntries(names.map((name) => [name, set[name]]))));
  return [...new Set(texts)].map((text) => JSON.parse(text));
}

async function askVerbs({ name, target }, sets, ask, note) {
  const { out } = await ask(['completion', 'bash', '--', '']);
  const calls = [];
  for (const [verb] of out.matchAll(/^\S+/gm)) {
    const { exit, out: help, err } = await ask([verb, '--help']);
    const has = (option) => help.includes(` ${option} `);
    const [, usage = ''] = /^Usage: \S+ \S+ \[options\]([^]*?)\n\n/.exec(help) ?? [];
    const needed = [...usage.matchAll(/<([a-z]+)/g)].map(([, one]) => one);
    const ways = waysOf(verb, needed, sets);
    const isAsked = ways !== undefined && !SKIPPED.includes(verb);
    if (name === 'native') note(`help ${verb}`, exit, help + err);
    if (name === 'native' && !isAsked) console.log(`skipped  ${verb}: ${ways ? 'serves or writes' : usage.trim()}`);
    const store = has('--store') ? ['--store', target] : verb === 'doctor' ? [target] : [];
    const last = [...['--json', '--dry-run'].filter(has), ...store];
    for (const way of isAsked ? ways : [])
      for (const more of WITH[verb] ?? [[]]) calls.push([verb, ...Object.values(way), ...more, ...last]);
  }
  const left = calls.values();
  const work = async () => {
    const say = (args, { exit, out, err }) => note(`verb ${args.join(' ')}`, exit, out || err);
    for (const args of left) say(args, await ask(args));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** @param ask a client that asks all at once, and ends when it has the answers */
async function askTools({ target }, sets, ask, note) {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'record', version: '0' } };
  const hello = [{ id: 0, method: 'initialize', params }, { method: 'notifications/initialized' }];
  const client = async (...requests) => {
    const messages = [...hello, ...requests.map((one, at) => ({ id: at + 1, ...one }))];
    const input = messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join('');
    const { out } = await ask(['mcp', target, '--no-open'], input);
    const answers = [...out.matchAll(/^.+$/gm)].map(([line]) => JSON.parse(line));
    return requests.map((_one, at) => answers.find(({ id }) => id === at + 1)?.result ?? { isError: 'no answer' });
  };
  const [{ tools }] = await client({ method: 'tools/list' });
  const callsOf = ({ name, inputSchema: { properties, required = [] }, annotations: { readOnlyHint } }) => {
    const ways = waysOf(name, required, sets);
    if (!ways) console.log(`skipped  ${name}: ${required.join(' ')}`);
    const room = 'maxTokens' in properties ? { maxTokens: 50_000 } : {};
    // No more proposals may wait.
    return (ways ?? []).slice(0, readOnlyHint ? 1e6 : 3).map((way) => ({ name, arguments: { ...way, ...room } }));
  };
  for (const tool of tools) note(`tool ${tool.name}`, 0, JSON.stringify(tool));
  for (const isReading of [true, false]) {
    const calls = tools.filter(({ annotations }) => annotations.readOnlyHint === isReading).flatMap(callsOf);
    const results = await client(...calls.map((params) => ({ method: 'tools/call', params })));
    for (const [at, { isError = false, content }] of results.entries())
      note(`mcp ${calls[at].name} ${JSON.stringify(calls[at].arguments)}`, isError, content?.[0].text ?? '');
  }
}

async function record(command, out, ...given) {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'record-')));
  const began = Date.now();
  writeFileSync(out, '');
  try {
    for (const store of await makeStores(work, given)) {
      const state = join(work, 'states', store.name);
      const env = { ...process.env, HOME: state, CHECKPOINT_INSPECTOR_STATE: state, TZ: 'UTC', NO_COLOR: '1' };
      const ask = (args, input) => run(resolve(command), args, { cwd: work, env }, input);
      const own = ownOf(work, store.secret, began);
      const note = (what, exit, text) =>
        appendFileSync(out, `${JSON.stringify({ key: own(`${store.name} ${what}`), exit, body: own(text) })}\n`);
      const sets = await lookAt(store, ask);
      for (const asked of [askVerbs, askTools]) await asked(store, sets, ask, note);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Without what each run has of its own: its folder, its server, and times that are now or later. */
function ownOf(work, secret = work, began) {
  const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
  const past = (time) => (Date.parse(time) < began - 1000 ? time : '<now>');
  const port = /(?<=127\.0\.0\.1:)\d+/g;
  const own = (text) => text.replaceAll(work, '<own>').replaceAll(secret, '<own>').replaceAll(port, '0');
  return (text) => own(text).replaceAll(times, past);
}

/** Plans have an id of their own. */
const VOLATILE = ['tookMs', 'holdsMs', 'proposal', 'link', 'command', 'version'];
const isVolatile = (value, key) => VOLATILE.includes(key) || (key === 'id' && 'preconditions' in value);
const short = (value) => (JSON.stringify(value) ?? 'absent').slice(0, 120);

function firstDifference(a, b, path = '$') {
  if (Object.is(a, b)) return undefined;
  const areBoth = [a, b].every((one) => one !== null && typeof one === 'object');
  if (!areBoth || Array.isArray(a) !== Array.isArray(b)) return `${path}: ${short(a)} -> ${short(b)}`;
  const keys = Object.keys({ ...a, ...b }).filter((key) => !isVolatile(a, key));
  return keys.map((key) => firstDifference(a[key], b[key], `${path}.${key}`)).find((one) => one !== undefined);
}

function compare(...files) {
  const read = (text) => (/^\s*[[{]/.test(text) ? JSON.parse(text) : text);
  const [before, after] = files.map((path) => {
    const answers = [...readFileSync(path, 'utf8').matchAll(/.+/g)].map(([line]) => JSON.parse(line));
    return new Map(answers.map(({ key, exit, body }) => [key, { exit, body: read(body) }]));
  });
  let differing = 0;
  for (const key of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const where = firstDifference(before.get(key), after.get(key));
    if (where) console.log(`${++differing}  ${key}: ${where}`);
  }
  console.log(`${before.size} answers compared, ${differing} differ`);
  if (differing > 0) process.exitCode = 1;
}

const [first, ...rest] = process.argv.slice(2);
if (first === undefined || rest.length === 0)
  throw new Error('Usage: npm run record -- COMMAND OUT [STORE…] | compare OLD NEW');
await (first === 'compare' ? compare(...rest) : record(first, ...rest));
