import { describe, expect, it } from 'vitest';
import { ChangeRoles, type Diff, diffJson, foldedLine, rankDiff, summaryLine } from '../index.ts';

const lines = ['read', 'check', 'store'];

/** A run of 30 steps with all that programs note beside their work; `own` is what a step does. */
function stateAt(step: number, own: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    step,
    saved: new Date(Date.UTC(2026, 2, 1, 10, step)).toISOString(),
    status: `running: ${lines[step % 3]}`,
    rate_limit: { remaining: (step * 37) % 100, reset_s: 3_600 - step * 61 },
    log: Array.from({ length: 6 }, (_, nth) => `${step + nth}: ${lines[(step + nth) % 3]}`),
    plan: [{ title: 'collect', status: step > 20 ? 'done' : 'doing' }],
    rows: [
      { id: 'a', price: 4.2 },
      { id: 'b', price: 7 },
    ],
    messages: [{ role: 'user', content: 'Begin.' }],
    ...own,
  });
}

/** @param own by step, from there on */
function diffsOf(own: Readonly<Record<number, Readonly<Record<string, unknown>>>>, steps = 30): Diff[] {
  let held: Readonly<Record<string, unknown>> = {};
  const states = Array.from({ length: steps }, (_, step) => stateAt(step, (held = { ...held, ...own[step] })));
  return states.slice(1).map((after, at) => diffJson(states[at] ?? '', after));
}

function learned(diffs: readonly Diff[]): ChangeRoles {
  const roles = new ChangeRoles();
  for (const { items } of diffs) roles.observe(items);
  return roles;
}

const message = (content: string) => ({ role: 'assistant', content });
const priced = (price: number) => [
  { id: 'a', price: 4.2 },
  { id: 'b', price },
];

describe('what a change is about', () => {
  it('is learned from the task: the one write of data leads the row of its step', () => {
    const diffs = diffsOf({ 17: { rows: priced(7_000) } });
    const line = summaryLine(diffs[16] as Diff, '', learned(diffs));
    expect(line).toMatch(/^rows\[1\]\.price 7 → 7000,/);
    const { ranked, folded } = rankDiff(diffs[16] as Diff, learned(diffs));
    expect(ranked.map(({ path }) => path)[0]).toBe('$.rows[1].price');
    expect(foldedLine(folded)).toContain('step');
    expect([...folded.map(({ item }) => item), ...ranked]).toHaveLength((diffs[16] as Diff).items.length);
  });

  it('leads with the data, whatever its kind of change', () => {
    for (const own of [{ rows: priced(8) }, { note: 'late' }, { rows: priced(7).slice(0, 1) }]) {
      const diffs = diffsOf({ 17: own });
      const [key = ''] = Object.keys(own);
      expect(summaryLine(diffs[16] as Diff, '', learned(diffs))).toMatch(new RegExp(`^[+−]?${key}`));
    }
  });

  it('names the words of a message before the lines of a log', () => {
    const diffs = diffsOf({ 17: { messages: [{ role: 'user', content: 'Begin.' }, message('All rows are read.')] } });
    expect(summaryLine(diffs[16] as Diff, '', learned(diffs))).toMatch(/^messages \+1 “All rows are read\.”/);
  });

  it('names the data before the message that says it was written', () => {
    const messages = [{ role: 'user', content: 'Begin.' }, message('The price is 7000.')];
    const diffs = diffsOf({ 17: { messages, rows: priced(7_000) } });
    expect(summaryLine(diffs[16] as Diff, '', learned(diffs))).toMatch(/^rows\[1\]\.price 7 → 7000, messages \+1/);
  });

  it('names the status where nothing else changed but counters', () => {
    const states = ['waiting', 'running', 'running', 'running', 'running', 'done'].map((status, step) =>
      JSON.stringify({ step, status, calls: step * 9 }),
    );
    const diffs = states.slice(1).map((after, at) => diffJson(states[at] ?? '', after));
    expect(summaryLine(diffs[4] as Diff, '', learned(diffs))).toMatch(/^status "running" → "done"/);
    expect(summaryLine(diffs[2] as Diff, '', learned(diffs))).toMatch(/^(?:calls|step) /);
  });

  it('takes a number that went up by one in one step of many for data', () => {
    const states = Array.from({ length: 12 }, (_, step) => JSON.stringify({ step, seats: step < 6 ? 2 : 3 }));
    const diffs = states.slice(1).map((after, at) => diffJson(states[at] ?? '', after));
    expect(summaryLine(diffs[5] as Diff, '', learned(diffs))).toBe('seats 2 → 3, and 1 more');
  });

  it('takes a field that is filled in one entry after the other for data', () => {
    const trees = (filled: number) =>
      Array.from({ length: 9 }, (_, nth) => ({ id: `t${nth}`, fee: nth < filled ? 31 + nth : null }));
    const states = Array.from({ length: 9 }, (_, step) => JSON.stringify({ trees: trees(step), calls: step * 7 }));
    const diffs = states.slice(1).map((after, at) => diffJson(states[at] ?? '', after));
    const roles = learned(diffs);
    for (const [at, diff] of diffs.entries())
      expect(summaryLine(diff, '', roles)).toBe(`trees[${at}].fee null → ${31 + at}, and 1 more`);
  });

  it('names the values of an entry that came', () => {
    const diffs = diffsOf({ 17: { rows: [...priced(7), { id: 'c', price: -3 }] } });
    expect(summaryLine(diffs[16] as Diff, '', learned(diffs))).toMatch(/^rows \+1 \{id "c", price -3\}/);
  });

  it('shows no secret of an entry that came', () => {
    const diff = diffJson('{"users":[]}', '{"users":[{"id":"c","password":"hunter2"}]}');
    expect(summaryLine(diff, '', learned([diff]))).toBe('users +1 {id "c"}');
  });

  it('knows a counter and a clock on the way back', () => {
    const state = (step: number, price: number) =>
      JSON.stringify({ fetched: step, at: 1_772_359_200 + step * 60, price });
    const roles = learned([diffJson(state(1, 4), state(2, 4)), diffJson(state(2, 4), state(3, 4))]);
    const { ranked, folded } = rankDiff(diffJson(state(3, 7), state(1, 4)), roles);
    expect([ranked, folded.map(({ item }) => item)].map((items) => items.map(({ path }) => path))).toEqual([
      ['$.price'],
      ['$.fetched', '$.at'],
    ]);
  });

  it('folds nothing that failed', () => {
    const states = ['a', 'b', 'c', 'd', 'e', 'failed'].map((status, n) => JSON.stringify({ status, n, x: n > 4 }));
    const diffs = states.slice(1).map((after, at) => diffJson(states[at] ?? '', after));
    const { ranked } = rankDiff(diffs[4] as Diff, learned(diffs));
    expect(ranked.map(({ path }) => path)).toEqual(['$.x', '$.status']);
  });

  it('can be told with the changes: they rank alike without the task', () => {
    const diffs = diffsOf({ 9: { messages: [message('Go on.')] }, 17: { rows: priced(8) } });
    const roles = learned(diffs);
    const plain = (items: readonly { readonly path: string }[]) => items.map(({ path }) => path);
    for (const diff of diffs) {
      const [there, here] = [rankDiff(diff, roles), rankDiff({ items: roles.marked(diff.items) })];
      expect(plain(here.ranked)).toEqual(plain(there.ranked));
      expect(here.folded.map(({ item, why }) => `${item.path} ${why}`)).toEqual(
        there.folded.map(({ item, why }) => `${item.path} ${why}`),
      );
    }
  });
});
