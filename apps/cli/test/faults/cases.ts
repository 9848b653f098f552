/** What is cut off: each kind of change of each system. Targets are those that the product itself accepts. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { writeFormat1 } from '@checkpoint-inspector/stores/testing/format-1';
import type { Done } from '../run.ts';

const SYSTEMS = resolve(import.meta.dirname, '../../../../packages/systems/src');

/** Runs the command in a folder. */
export type Command = (...args: string[]) => Promise<Done>;

export interface Fixture {
  /** As the table at the end names it. */
  readonly name: string;
  /** What is copied into the folder, and what `-s` names in it. */
  readonly from: string;
  readonly store: string;
  /** Where one file has several stores. */
  readonly only?: string;
}

const fixture = (name: string, from: string, more: Partial<Fixture> = {}): Fixture => ({
  name,
  from: join(SYSTEMS, from),
  store: 'store',
  ...more,
});

export const KAIZEN = fixture('kaizen', 'kaizen/fixtures/plain');
/** Made from Kaizen's by `copy`. */
export const NATIVE: Fixture = { ...KAIZEN, name: 'native', store: 'native.db' };

export const FIXTURES: readonly Fixture[] = [
  NATIVE,
  fixture('langgraph', 'langgraph/fixtures/js.sqlite', { store: 'store.sqlite' }),
  fixture('langgraph (Python)', 'langgraph/fixtures/py.sqlite', { store: 'store.sqlite' }),
  KAIZEN,
  fixture('ctx-sys', 'ctx-sys/fixtures/demo-app.db', { store: 'store.db' }),
  fixture('agent-framework', 'agent-framework/fixtures/counter-forks'),
  fixture('rlm-act', 'rlm-act/fixtures/python-new-york'),
  fixture('codex', 'codex/fixtures/home'),
  fixture('opencode', 'opencode/fixtures/opencode.db', { store: 'opencode.db' }),
  fixture('gemini-cli', 'gemini-cli/fixtures/five-turns/.gemini', { store: '.gemini' }),
  fixture('mastra (threads)', 'mastra/fixtures/mastra.db', { store: 'store.db', only: 'store-db-threads' }),
  fixture('mastra (runs)', 'mastra/fixtures/mastra.db', { store: 'store.db', only: 'store-db-runs' }),
  fixture('voltagent (runs)', 'voltagent/fixtures/voltagent.db', { store: 'store.db', only: 'store-db-runs' }),
  fixture('voltagent (conversations)', 'voltagent/fixtures/voltagent.db', {
    store: 'store.db',
    only: 'store-db-conversations',
  }),
  fixture('openai-agents (states)', 'openai-agents/fixtures/runstates'),
];

export interface Case {
  readonly name: string;
  readonly make: (folder: string, run: Command) => Promise<void>;
  /** Changes that it begins after. */
  readonly first?: readonly (readonly string[])[];
  readonly args: readonly string[];
  /** What `verify` reads. */
  readonly store: string;
  /** Undo is asked for this store; not for what has no undo. */
  readonly undo?: string;
  /** Commands whose output has to be that of before or after too: what is kept in the journal. */
  readonly views?: readonly (readonly string[])[];
  /** May end between before and after, where a second run continues it. */
  readonly continues?: boolean;
}

async function fill(folder: string, run: Command, { from, store, name }: Fixture): Promise<void> {
  const to = name === 'native' ? 'source' : store;
  mkdirSync(dirname(join(folder, to)), { recursive: true });
  cpSync(from, join(folder, to), { recursive: true, preserveTimestamps: true });
  if (name === 'native') await wanted(run, ['copy', 'source', store]);
}

/** @throws Error with what the command said */
export async function wanted(run: Command, args: readonly string[]): Promise<Done> {
  const done = await run(...args);
  if (done.code !== 0) throw new Error(`${args.join(' ')}: exit ${done.code}: ${done.err}`);
  return done;
}

const KINDS = ['restore', 'fork', 'edit', 'delete', 'prune'] as const;
export type Kind = (typeof KINDS)[number];

/** Every change of a fixture that its system can make, and what it says of the others. Its folder is only looked at. */
export async function casesOf(
  fixture: Fixture,
  folder: string,
  run: Command,
): Promise<{ cases: Case[]; refused: string[] }> {
  await fill(folder, run, fixture);
  const { store } = fixture;
  const taken = new Map<Kind, { args: string[]; file?: string }>();
  const refused: string[] = [];
  for (const kind of KINDS) {
    const found = await accepted(kind, fixture, run, folder);
    if ('args' in found) taken.set(kind, found);
    else refused.push(`${fixture.name}, ${kind}: ${found.reason}`);
  }
  const file = taken.get('edit')?.file;
  const make: Case['make'] = async (folder, run) => {
    await fill(folder, run, fixture);
    if (file !== undefined) writeFileSync(join(folder, EDITED), file);
  };
  const named = (kind: string, args: readonly string[], more: Partial<Case> = {}): Case => ({
    name: `${fixture.name}, ${kind}`,
    make,
    args,
    store,
    ...more,
  });
  const argsOf = (kind: Kind) => taken.get(kind)?.args;
  const cases = [...taken].map(([kind, { args }]) => named(kind, args, { undo: store }));
  const change = argsOf('restore') ?? argsOf('delete') ?? argsOf('edit');
  if (change) cases.push(named('undo', ['undo', '--yes', '-s', store], { first: [change] }));
  const removal = argsOf('delete') ?? argsOf('prune');
  const first = removal ? [removal] : [];
  const { code, err } = await run('reclaim', store);
  if (code !== ERROR_CODES.unsupported.exit) cases.push(named('reclaim', ['reclaim', store, '--yes'], { first }));
  else refused.push(`${fixture.name}, reclaim: ${firstLine(err)}`);
  if (removal)
    cases.push(named('purge', ['trash', 'purge', '--all', '--yes'], { first, views: [['trash', '--json']] }));
  return { cases, refused };
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
const EDITED = 'edited.json';
const TRIES = 40;
/** Tasks that make a case take long are not taken. */
const LARGE = 50;

interface Task {
  readonly id: string;
  readonly store: string;
  readonly checkpointCount: number;
}

/** The first command of this kind that the product would carry out. */
async function accepted(kind: Kind, { store, only }: Fixture, run: Command, folder: string) {
  const { items } = JSON.parse((await wanted(run, ['tasks', '-s', store, '--json'])).out) as { items: Task[] };
  const tasks = items.filter((task) => task.checkpointCount <= LARGE && (only === undefined || task.store === only));
  let reason = 'no task that is small enough';
  let tries = 0;
  for (const task of tasks.toSorted((a, b) => b.checkpointCount - a.checkpointCount)) {
    for await (const { args, file } of commands(kind, task, store, run)) {
      if (file !== undefined) writeFileSync(join(folder, EDITED), file);
      const done = await run(...args, '--dry-run');
      if (done.code === 0 && !done.out.includes(': 0 would be deleted')) {
        return { args: [...args, '--yes'], ...(file === undefined ? {} : { file }) };
      }
      reason = firstLine(done.err || done.out);
      if (++tries === TRIES) return { reason };
    }
  }
  return { reason };
}

interface Candidate {
  readonly args: string[];
  readonly file?: string;
}

async function* commands(kind: Kind, task: Task, store: string, run: Command): AsyncGenerator<Candidate> {
  const at = ['-s', store];
  const address = `${task.store}/${task.id}`;
  if (kind === 'prune') return yield { args: ['prune', address, '--keep-last', '1', ...at] };
  const listed = await run('list', address, ...at, '--json');
  if (listed.code !== 0) return;
  const { items } = JSON.parse(listed.out) as { items: { id: string; isLatest: boolean }[] };
  const older = items.filter(({ isLatest }) => !isLatest);
  const middle = older.toSpliced(0, Math.floor(older.length / 2));
  for (const { id } of [...middle.slice(0, 2), ...older.slice(0, 2), ...items.slice(0, 1)]) {
    const name = `${address}/${id}`;
    if (kind !== 'edit') yield { args: [kind, name, ...at] };
    if (kind === 'fork') yield { args: [kind, name, '--to', 'a-fork', ...at] };
    if (kind === 'edit') yield* edits(name, at, run);
  }
  // Some systems give up a task only as a whole.
  if (kind === 'delete') yield { args: [kind, ...items.map(({ id }) => `${address}/${id}`), ...at] };
}

/** Some texts of the state with two letters more, or numbers where it has no text; sentences first. */
async function* edits(name: string, at: string[], run: Command): AsyncGenerator<Candidate> {
  const { out, code } = await run('show', name, ...at);
  if (code !== 0) return;
  const values = [...new Set(valuesIn(JSON.parse(out)))];
  for (const value of [...values.filter(isSentence), ...values.filter((one) => !isSentence(one))].slice(0, 6)) {
    const file = out
      .trimEnd()
      .replace(JSON.stringify(value), JSON.stringify(typeof value === 'string' ? `${value} 2` : value + 1));
    yield { args: ['edit', name, '--file', EDITED, ...at], file };
  }
}

const isSentence = (value: unknown): boolean => typeof value === 'string' && value.includes(' ');

function valuesIn(value: unknown): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

/** What is kept in the journal alone, and what has no undo. */
export async function otherCases(folder: string, run: Command): Promise<Case[]> {
  const kaizen = (folder: string, run: Command) => fill(folder, run, KAIZEN);
  const { store } = KAIZEN;
  await kaizen(folder, run);
  const { out } = await wanted(run, ['list', 'research_agent', '-s', store, '--json']);
  const { items } = JSON.parse(out) as { items: { id: string }[] };
  const id = items[2]?.id ?? '';
  const views = [
    ['show', id, '--meta', '-s', store],
    ['note', id, '-s', store],
  ];
  const journal = (name: string, ...args: string[]): Case => ({
    name,
    make: kaizen,
    args: [...args, '-s', store],
    store,
    views,
  });
  const copy = (name: string, make: Case['make'], args: readonly string[]): Case => ({
    name,
    make,
    args,
    store: args[2] ?? '',
    continues: true,
  });
  return [
    journal('label', 'label', id, 'good'),
    journal('note', 'note', id, 'the numbers are right'),
    copy('copy to a new file', kaizen, ['copy', store, 'out.db']),
    copy('copy into a native store', intoNative, ['copy', store, 'out.db']),
    copy('import of a bundle', bundled, ['import', 'case.json', 'out.db']),
    copy('conversion of format 1', ofFormat1, ['copy', store, 'old.db', '--task', 'done_agent']),
  ];
}

const intoNative: Case['make'] = async (folder, run) => {
  await fill(folder, run, KAIZEN);
  await wanted(run, ['copy', KAIZEN.store, 'out.db', '--task', 'research_agent']);
};

const bundled: Case['make'] = async (folder) => {
  cpSync(join(SYSTEMS, 'bundle/fixtures/langgraph.json'), join(folder, 'case.json'));
};

const ofFormat1: Case['make'] = async (folder, run) => {
  await fill(folder, run, KAIZEN);
  const rows = Array.from({ length: 12 }, (_, n) => ({
    task: n % 2 === 0 ? 'even' : 'odd',
    id: `old_${n}`,
    text: JSON.stringify({ n, text: 'x'.repeat(500 * n), steps: Array.from({ length: n }, (_, step) => ({ step })) }),
  }));
  await writeFormat1(join(folder, 'old.db'), rows);
};
