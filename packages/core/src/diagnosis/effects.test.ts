/** What steps do to the entries that they name, or to all: and what one of them did not do, or did to another. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import type { DiagnosedStep, Suspect } from './types.ts';

type State = Readonly<Record<string, unknown>>;
type Step = readonly [description: string, state: State];

const stepsOf = (steps: readonly Step[]): DiagnosedStep[] =>
  [['start', steps[0]?.[1] ?? {}] as Step, ...steps].map(([description, state], seq) => ({
    ref: { task: 'run', id: `c${seq}` },
    seq,
    status: seq === steps.length ? 'failed' : 'completed',
    description,
    text: JSON.stringify({ ...state, tick: seq }),
  }));

const ERROR = { error: 'the result was refused' };
const first = (steps: readonly Step[]): Suspect | undefined => suspectsOf(stepsOf(steps), ERROR)[0];
const said = (suspect: Suspect | undefined): string => `${suspect?.seq} ${suspect?.kind} ${suspect?.path}`;

const NAMES = ['A-11', 'B-12', 'C-13', 'D-14', 'E-15', 'F-16'];
type Row = Readonly<Record<string, unknown>>;
const rows = (of: (name: string, at: number) => Row): Row[] => NAMES.map((id, at) => ({ id, ...of(id, at) }));

describe('one act on all entries', () => {
  const temperatures = [15, -18, 4, 2, 8, -20];
  const inFahrenheit = (celsius = 0): number => celsius * 1.8 + 32;

  it('is missing from the one that was not converted', () => {
    const before = { units: rows((_, at) => ({ temp: temperatures[at] })) };
    const after = {
      units: rows((_, at) => ({ temp: at === 3 ? temperatures[at] : inFahrenheit(temperatures[at]) })),
    };
    const suspect = first([
      ['look', before],
      ['convert all', after],
      ['close', { ...after, closed: true }],
    ]);
    expect(said(suspect)).toBe('2 unchanged $.units[3].temp');
    expect(suspect?.reasons).toContain(
      'All similar values were changed in the same way in this step, but this one was not.',
    );
  });

  it('is another one where one entry came to something else', () => {
    const prices = [20, 31, 44, 27, 38, 52];
    const before = { items: rows((_, at) => ({ price: prices[at] })) };
    const after = {
      items: rows((_, at) => ({ price: Number(((prices[at] ?? 0) * (at === 4 ? 1.62 : 1.08)).toFixed(2)) })),
    };
    const suspect = first([
      ['look', before],
      ['add the surcharge', after],
      ['close', { ...after, closed: true }],
    ]);
    expect(said(suspect)).toBe('2 changed $.items[4].price');
    expect(suspect?.reasons).toContain(
      'All similar values were changed in the same way in this step, but this one in another.',
    );
  });

  it('goes over lists that are each part of an entry', () => {
    const services = (left: string, stage: string): State => ({
      services: Object.fromEntries(
        ['auth', 'feed', 'mail', 'search'].map((name) => [
          name,
          Object.fromEntries(
            ['dev', 'stage', 'prod'].map((env, at) => [
              env,
              { replicas: at + 2, owner: `team-${at}`, state: left === `${name}/${env}` ? 'pending' : stage },
            ]),
          ),
        ]),
      ),
    });
    const suspect = first([
      ['look', services('', 'pending')],
      ['advance everywhere', services('feed/prod', 'canary')],
      ['close', { ...services('feed/prod', 'canary'), closed: true }],
    ]);
    expect(said(suspect)).toBe('2 unchanged $.services.feed.prod.state');
  });

  it('leaves alone what is counted up with the others now and then', () => {
    const counts = (...[reads, writes, errors, waits]: number[]): State => ({ ops: { reads, writes, errors, waits } });
    const suspects = suspectsOf(
      stepsOf([
        ['read', counts(4, 2, 0, 1)],
        ['read', counts(5, 3, 0, 2)],
        ['read', counts(6, 4, 0, 3)],
      ]),
      ERROR,
    );
    expect(suspects.filter(({ score }) => score >= 0.3)).toEqual([]);
  });
});

describe('steps of one name', () => {
  const posted = (count: number, without: number): Row[] =>
    NAMES.slice(0, count).flatMap((payee, at) => (at === without ? [] : [{ payee, cents: 1200 + at * 45 }]));
  const payees = rows((_, at) => ({ rate: 20 + at }));

  it('add an entry each; one did not', () => {
    const looked = [1, 2, 3, 4].map((page): Step => [`Look at page ${page}`, { payees, page, ledger: [] }]);
    const steps = NAMES.map((name, at): Step => [
      `Post payout for ${name}`,
      { payees, page: 4, ledger: posted(at + 1, 3) },
    ]);
    const suspect = first([...looked, ...steps, ['close', { payees, page: 4, ledger: posted(6, 3), closed: true }]]);
    expect(said(suspect)).toBe('8 unchanged $.ledger');
    expect(suspect?.reasons).toContain('Other steps with this name add an entry here, but this one did not.');
  });

  it('remove the entry that they name; one did not', () => {
    const queued = (count: number): Row[] =>
      rows((_, at) => ({ want: `limit ${at}` })).filter((_, at) => at >= count || at === 4);
    const steps = NAMES.map((name, at): Step => [`Apply ${name}`, { queue: queued(at + 1), applied: at + 1 }]);
    const looked: Step = ['look', { queue: queued(0), applied: 0 }];
    const suspect = first([looked, ...steps, ['close', { queue: queued(6), applied: 6, closed: true }]]);
    expect(said(suspect)).toBe('6 unchanged $.queue[0]');
    expect(suspect?.reasons[0]).toBe('Other steps with this name remove the entry they name, but this one did not.');
  });
});

describe('the title of a step', () => {
  const memory = [384, 512, 640, 768, 896, 448];
  it('names an entry and its field, and that is what changes; once another entry did', () => {
    const state = (done: number): State => ({
      services: rows((_, at) => {
        const changed = NAMES.some((__, of) => of < done && (of === 3 ? 5 : of) === at && of !== 5);
        return { memory: (memory[at] ?? 0) + (changed ? 1024 : 0) };
      }),
    });
    const steps = NAMES.slice(0, 5).map((name, at): Step => [`Patch memory of ${name}`, state(at + 1)]);
    const suspects = suspectsOf(stepsOf([...steps, ['close', { ...state(5), closed: true }]]), ERROR);
    const two = suspects.slice(0, 2).map(said).toSorted();
    expect(two).toEqual(['4 changed $.services[5].memory', '4 unchanged $.services[3].memory']);
    expect(suspects.flatMap(({ reasons }) => reasons)).toEqual(
      expect.arrayContaining(['The step names another entry, and steps seldom change others than they name.']),
    );
  });
});

it('a field that went from its entry is odd where all others still have theirs', () => {
  const state = (without: boolean): State => ({
    hosts: rows((_, at) => ({
      slots: at + 3,
      owner: `team-${at}`,
      ...(without && at === 2 ? {} : { gps: `${at}.5 ${at}.7` }),
    })),
  });
  const suspect = first([
    ['look', state(false)],
    ['read the sheets', { ...state(true), read: 3 }],
    ['close', { ...state(true), read: 4 }],
  ]);
  expect(said(suspect)).toBe('2 removed $.hosts[2].gps');
  expect(suspect?.reasons).toContain('It has no value, but its 5 siblings do.');
});

describe('an exception', () => {
  const flagged = (...[changed, value]: [readonly number[], string]): State => ({
    wells: rows((_, at) => ({ dose: at + 11, flag: changed.includes(at) ? value : 'open' })),
  });
  const all = [0, 1, 2, 3, 4, 5];
  const SAID = ['good morning to all of you', 'the plates are on the bench', 'the reader is warm now'];
  const heard = (...texts: string[]): { readonly messages: readonly Row[] } => ({
    messages: [...SAID, ...texts].map((text) => ({ from: 'lab', text })),
  });
  const run = (text: string, changed: readonly number[]): Suspect[] =>
    suspectsOf(
      stepsOf([
        ...SAID.map((_, at): Step => ['look', { ...flagged([], ''), messages: heard().messages.slice(0, at + 1) }]),
        ['flag all wells', { ...flagged(changed, 'review'), ...heard(text) }],
        ['close', { ...flagged(changed, 'review'), ...heard(text, 'that is all for today'), closed: true }],
      ]),
      ERROR,
    );
  const scoreAt = (suspects: readonly Suspect[], path: string): number =>
    suspects.find((one) => one.path === path)?.score ?? 0;

  it('that was named is hardly a suspect for being left out', () => {
    const left = all.filter((at) => at !== 2);
    const path = '$.wells[2].flag';
    const unsaid = scoreAt(run('please flag all wells for the review', left), path);
    const excepted = scoreAt(run('please flag all wells but C-13 for the review', left), path);
    expect(unsaid).toBeGreaterThan(0.25);
    expect(excepted).toBeLessThan(unsaid / 2);
  });

  it('that was named and not made is a suspect', () => {
    const [suspect] = run('please flag all wells but C-13 for the review', all);
    expect(said(suspect)).toBe('4 changed $.wells[2].flag');
    expect(suspect?.reasons[0]).toContain('names this one alone');
  });
});

it('a step that names an entry and changes nothing is a suspect where steps change what they name', () => {
  const state = (done: number): State => ({
    clips: rows((_, at) => ({ seconds: at < done && at !== 3 ? 41 + at : 52 + at, fee: 120 + at })),
  });
  const steps = NAMES.map((name, at): Step => [`Shorten ${name}`, state(at + 1)]);
  const suspect = first([['look', state(0)], ...steps, ['close', { ...state(6), closed: true }]]);
  expect(suspect?.seq).toBe(5);
  expect(suspect?.path).toMatch(/^\$\.clips\[3\]/);
});

it('nothing is said to have been left alone that changed', () => {
  const words = { home: 'Start', search: 'Suche', save: 'Sichern', quit: 'Ende', help: 'Hilfe', open: 'Öffnen' };
  const done = Object.keys(words).map((name, at): Step => [
    `translate ${name}`,
    { target: Object.fromEntries(Object.entries(words).slice(0, at + 1)), source: words },
  ]);
  const steps = stepsOf([
    ['load', { target: {}, source: words }],
    ...done,
    ['close', { target: words, source: words }],
  ]);
  const alone = suspectsOf(steps, ERROR).filter(({ kind }) => kind === 'unchanged');
  expect(alone).toEqual([]);
});

it('what was left alone is shown as it was then, though a later step wrote it', () => {
  const state = (done: number, late: boolean): State => ({
    clips: rows((_, at) => ({ seconds: at < done && at !== 3 ? 41 + at : at === 3 && late ? 90_000 : 52 + at })),
  });
  const steps = NAMES.map((name, at): Step => [`Shorten ${name}`, state(at + 1, false)]);
  const run = stepsOf([['look', state(0, false)], ...steps, ['close', state(6, true)], ['end', state(6, true)]]);
  const left = suspectsOf(run, ERROR).find(({ kind, seq }) => kind === 'unchanged' && seq === 5);
  expect(left?.path).toMatch(/^\$\.clips\[3\]/);
  expect(left?.after).toContain('55');
  expect(left?.after).not.toContain('90000');
});
