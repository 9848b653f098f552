/** Ends the built command at its n-th write, or lets the disk be full from there on, and looks at what is left. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { afterAll, describe, it } from 'vitest';
import { CLI, workplace, type Done } from '../run.ts';
import { wanted, type Case, type Command } from './cases.ts';
import { dumpOf, filesBelow, isSame, normaliser, STATE, TMP, withoutSideFiles, type Dump } from './dump.ts';

/** `npm test` looks for the words before the colon. */
export const NO_FAULTS = 'no fault injection: it needs Linux and a C compiler (cc)';

/** Without a compiler the tests are skipped where somebody reads their names, and fail in CI. */
export function describeWithFaults(name: string, body: (library: string) => void): void {
  const library = compiled();
  if (library !== undefined) {
    return void describe(name, () => {
      afterAll(() => rmSync(dirname(library), { recursive: true, force: true }));
      body(library);
    });
  }
  if (!process.env['CI']) return void describe.skip(`${name} (${NO_FAULTS})`, () => body(''));
  describe(name, () => {
    it('can cut off a write', () => {
      throw new Error(NO_FAULTS);
    });
  });
}

function compiled(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'faults-library-'));
  const library = join(folder, 'faults.so');
  const source = join(import.meta.dirname, 'faults.c');
  if (spawnSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl']).status === 0) return library;
  rmSync(folder, { recursive: true });
  return undefined;
}

/** How many points are tried; without a number, every one. */
export interface Amount {
  readonly kills?: number;
  readonly full: number;
}

interface Fault {
  readonly at: number;
  readonly isFull: boolean;
}

export interface Outcome {
  readonly name: string;
  readonly points: number;
  kills: number;
  full: number;
  /** Between before and after, to be settled by the next change: allowed where no task resumes from it. */
  between: number;
  readonly findings: Finding[];
}

export type Wrong = 'half state' | 'not undone' | 'not continued' | 'left over' | 'said wrongly';

export interface Finding {
  readonly wrong: Wrong;
  readonly fault: string;
  readonly text: string;
}

/** A folder in which the command runs, with journal and temporary files below it. */
export function folderOf() {
  const { folder, runWith } = workplace();
  mkdirSync(join(folder, TMP));
  const env = { TMPDIR: join(folder, TMP), CHECKPOINT_INSPECTOR_STATE: join(folder, STATE) };
  return { folder, env, run: ((...args) => runWith(env, ...args)) as Command };
}
type Folder = ReturnType<typeof folderOf>;

/** What undisturbed runs of a case leave: what every one that is cut off is held to. */
interface Expected {
  readonly normal: (dump: Dump) => Dump;
  readonly before: Dump;
  readonly after: Dump;
  /** After the same command once more. */
  readonly twice: Dump;
  readonly twiceCode: number | null;
  /** Of before and after. */
  readonly answers: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly calls: readonly string[];
}

/** @throws Error where the case itself doesn't work, or can't be compared */
export async function cutOff(library: string, it: Case, { kills, full }: Amount): Promise<Outcome> {
  const expected = await undisturbed(library, it);
  const calls = expected.calls;
  const outcome: Outcome = { name: it.name, points: calls.length, kills: 0, full: 0, between: 0, findings: [] };
  const faults = [
    ...spread(calls, kills ?? calls.length).map((at) => ({ at, isFull: false })),
    ...spread(calls, full).map((at) => ({ at, isFull: true })),
  ];
  const limit = limiter(availableParallelism());
  const places: Folder[] = [];
  for (const _ of faults) places.push(await made(it));
  const started = faults.map((fault, at) => {
    const place = places[at];
    if (!place) throw new Error('no folder');
    const start = dumpOf(place.folder);
    return { fault, place, start, done: limit(() => faulty(library, place, it.args, fault)) };
  });
  for (const { fault, place, start, done } of started) {
    await looked(it, expected, { fault, place, start, done: await done }, outcome);
    rmSync(place.folder, { recursive: true, force: true });
  }
  return outcome;
}

/** With what it held before anything was changed in it. */
async function made(it: Case): Promise<Folder & { fixture: Dump }> {
  const place = folderOf();
  await it.make(place.folder, place.run);
  const fixture = dumpOf(place.folder);
  for (const args of it.first ?? []) await wanted(place.run, args);
  return { ...place, fixture };
}

async function undisturbed(library: string, it: Case): Promise<Expected> {
  const [one, other] = [await made(it), await made(it)];
  const normal = normaliser(one.fixture);
  const dump = async (place: Folder) => normal(await dumped(place, it));
  const answers = new Set(normal(await answersOf(one, it.store)));
  const before = await dump(one);
  const names = new Set(namesIn(one));
  const log = `${one.folder}.log`;
  const done = await faulty(library, one, it.args, { at: 0, isFull: false }, log);
  const calls = readFileSync(log, 'utf8').trimEnd().split('\n');
  rmSync(log);
  if (done.code !== 0) throw new Error(`${it.args.join(' ')}: exit ${done.code}: ${done.err}`);
  const after = await dump(one);
  await wanted(other.run, it.args);
  const again = await dump(other);
  if (!isSame(after, again)) throw new Error(`two undisturbed runs differ: ${firstDifference(after, again)}`);
  for (const line of normal(await answersOf(one, it.store))) answers.add(line);
  for (const name of [...namesIn(one), ...namesIn(other)]) names.add(name);
  const { code: twiceCode } = await one.run(...it.args);
  for (const name of namesIn(one)) names.add(name);
  return { normal, before, after, twice: await dump(one), twiceCode, answers, names, calls };
}

/** With the library, in its own process. `at` 0 is never reached. */
function faulty(
  library: string,
  place: Folder,
  args: readonly string[],
  { at, isFull }: Fault,
  log?: string,
): Promise<Done> {
  const env = {
    ...process.env,
    ...place.env,
    HOME: place.folder,
    LD_PRELOAD: library,
    FAULTS_PATH: `${place.folder}/`,
    FAULTS_AT: String(at),
    ...(isFull ? { FAULTS_FULL: '1' } : {}),
    ...(log === undefined ? {} : { FAULTS_LOG: log }),
  };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], { cwd: place.folder, env });
    const parts = { out: '', err: '' };
    child.stdout.on('data', (data: Buffer) => (parts.out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (parts.err += data.toString()));
    child.stdin.end();
    child.on('close', (code) => resolve({ code, ...parts }));
  });
}

/** Half of them at calls that change the store itself, which are few beside the journal's; first and last always. */
function spread(calls: readonly string[], count: number): number[] {
  const numbers = calls.map((_, at) => at + 1);
  const own = numbers.filter((n) => !/\/\.state(\/|$)|-shm$/.test(calls[n - 1] ?? ''));
  const half = Math.min(own.length, Math.ceil(count / 2));
  const taken = new Set(evenly(own, half));
  return [
    ...taken,
    ...evenly(
      numbers.filter((n) => !taken.has(n)),
      count - taken.size,
    ),
  ].toSorted((a, b) => a - b);
}

function evenly(numbers: readonly number[], count: number): number[] {
  if (count <= 0) return [];
  if (count >= numbers.length) return [...numbers];
  const step = count === 1 ? 0 : (numbers.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, at) => numbers[Math.round(at * step)] ?? 1);
}

function limiter(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    running++;
    try {
      return await work();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}

/** What is stored, also what the journal keeps. Only looks. */
async function dumped(place: Folder, { views }: Case): Promise<Dump> {
  const shown: string[] = [];
  for (const view of views ?? []) shown.push(`view: ${(await place.run(...view)).out}`);
  return [...dumpOf(place.folder), ...shown];
}

/** The exit code of `verify`, and the checkpoint that each task resumes from. */
async function answersOf({ run }: Folder, store: string): Promise<string[]> {
  const { code } = await run('verify', store);
  const tasks = await run('tasks', '-s', store, '--json');
  const { items = [] } = JSON.parse(tasks.out || '{}') as {
    items?: { store: string; id: string; latestId?: string }[];
  };
  return [`verify: exit ${code}`, ...items.map(({ store, id, latestId }) => `${store}/${id} resumes from ${latestId}`)];
}

interface Cut {
  readonly fault: Fault;
  readonly place: Folder;
  /** Of this very folder, not made comparable: undo has to bring it back. */
  readonly start: Dump;
  readonly done: Done;
}

async function looked(it: Case, expected: Expected, cut: Cut, outcome: Outcome): Promise<void> {
  const { normal, before, after } = expected;
  const { fault, place, done } = cut;
  const call = (expected.calls[fault.at - 1] ?? '').replace(/^\d+ \d+ (\w+) .*?\/cli-test-\w+/, '$1 ');
  const found: Found = (wrong, text) =>
    outcome.findings.push({ wrong, fault: `${fault.isFull ? 'full disk' : 'kill'} at ${fault.at}, ${call}`, text });
  if (fault.isFull) outcome.full++;
  else if (done.code === null) outcome.kills++;
  const dump = normal(await dumped(place, it));
  const is = isSame(dump, before) ? 'before' : isSame(dump, after) ? 'after' : 'between';
  if (is === 'between') {
    outcome.between++;
    const half = halfOf(it, expected, dump, normal(await answersOf(place, it.store)));
    if (half !== undefined) found('half state', half);
  }
  if (fault.isFull && !(it.continues && is === 'between' && done.code === ERROR_CODES.disk_full.exit)) {
    const said = saidWrongly(done, is);
    if (said !== undefined) found('said wrongly', said);
  }
  if (it.undo !== undefined) await undone(it.undo, cut, { is, expected, found });
  const again = await place.run(...it.args);
  // What is left over is told below, and once.
  const files = new Set([...before, ...after, ...expected.twice].map(fileOf));
  const now = normal(await dumped(place, it)).filter((line) => files.has(fileOf(line)));
  const isOnce = again.code === 0 && isSame(now, after);
  const isTwice = again.code === expected.twiceCode && isSame(now, expected.twice);
  if (!isOnce && !isTwice)
    found('not continued', `exit ${again.code}: ${again.err || again.out} ${firstDifference(after, now)}`);
  lookForRest(place, expected, found);
}

type Found = (wrong: Wrong, text: string) => void;

/** Leaves the folder as it was: the same command has to work too. */
async function undone(
  store: string,
  { place, start }: Cut,
  { is, expected, found }: { is: string; expected: Expected; found: Found },
): Promise<void> {
  const saved = `${place.folder}-saved`;
  cpSync(place.folder, saved, { recursive: true, preserveTimestamps: true });
  const { code, err } = await place.run('undo', '--yes', '-s', store);
  const now = dumpOf(place.folder);
  const isNothing = code === ERROR_CODES.not_found.exit && is === 'before';
  if (!isSame(now, start)) found('not undone', `exit ${code}: ${err} ${firstDifference(start, now)}`);
  else if (code !== 0 && !isNothing) found('not undone', `exit ${code}: ${err}`);
  lookForRest(place, expected, found);
  rmSync(place.folder, { recursive: true });
  renameSync(saved, place.folder);
}

function lookForRest(place: Folder, { names }: Expected, found: Found): void {
  const rest = namesIn(place).filter((name) => !names.has(name));
  if (rest.length > 0) found('left over', rest.join(', '));
}

/** Why what lies between is a half state, if it is one. What can be continued may lack what is still to come. */
function halfOf({ continues }: Case, { before, after, answers }: Expected, dump: Dump, now: Dump): string | undefined {
  if (continues === true) {
    const lost = before.find((line) => after.includes(line) && !dump.includes(line));
    return lost && `lost: ${lost.slice(0, SHOWN)}`;
  }
  const whole = new Set([...before, ...after]);
  const names = new Set([...whole].map(fileOf));
  // Other files are temporary ones, which have to go later.
  const torn = dump.find((line) => names.has(fileOf(line)) && !whole.has(line));
  return torn === undefined
    ? now.find((line) => !answers.has(line) && !line.endsWith(NOT_RESUMED))
    : `neither before nor after: ${torn.slice(0, SHOWN)}`;
}

/** What the original can't resume is no half state: the next change settles it. */
const NOT_RESUMED = ' resumes from undefined';
const SHOWN = 300;
const fileOf = (line: string): string => line.split(': ', 1)[0] ?? '';

const RECLAIMED = /B before, [\d.]+ \wB after/;

/** Of a command that met a full disk. */
function saidWrongly({ code, out, err }: Done, is: string): string | undefined {
  // Reclaim tells what is there and changes nothing of it.
  if (code === 0) return is === 'after' || RECLAIMED.test(out) ? undefined : `exit 0, but the store is ${is}: ${out}`;
  if (code !== ERROR_CODES.disk_full.exit) return `exit ${code}: ${err}${out}`;
  return is === 'before' || /change was (made|interrupted)/.test(err)
    ? undefined
    : `failed, but the store is ${is}: ${err}`;
}

/** SQLite makes an empty file and removes it in the next call: a kill between the two is not ours to clean up after. */
const SQLITE_TEMP = /\/etilqs_\w+$/;

/** Numbers in names are those of a process or a change. */
function namesIn({ folder }: Folder): string[] {
  const files = withoutSideFiles(filesBelow(folder)).filter((name) => !SQLITE_TEMP.test(name));
  return files.map((name) => name.replaceAll(/[\w-]{8,}/g, (word) => (/\d/.test(word) ? '#' : word)));
}

function firstDifference(wanted: Dump, is: Dump): string {
  const missing = wanted.find((line) => !is.includes(line));
  const extra = is.find((line) => !wanted.includes(line));
  return `missing: ${missing?.slice(0, SHOWN)}; too much: ${extra?.slice(0, SHOWN)}`;
}

const COLUMNS: readonly Wrong[] = ['half state', 'not undone', 'not continued', 'left over', 'said wrongly'];

/** One line a case. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const head = ['case', 'points', 'kills', 'full disks', 'between', ...COLUMNS];
  const rows = outcomes.map(({ name, points, kills, full, between, findings }) => [
    name,
    ...[points, kills, full, between].map(String),
    ...COLUMNS.map((wrong) => String(findings.filter((finding) => finding.wrong === wrong).length)),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
}
