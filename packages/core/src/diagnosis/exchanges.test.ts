/** What is written over again and again is what the agent reads, and what it works on is not. */
import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { Examination } from './examination.ts';
import { exchangesIn } from './exchanges.ts';
import { stepsOf, type State } from './testing/written.ts';

function exchanged(states: readonly State[]): readonly string[] {
  const examination = new Examination([]);
  for (const step of stepsOf(states)) examination.observe(step);
  return [...exchangesIn(examination.events).keys()].map(({ text }) => text.trim().replaceAll('\n', '.'));
}

const IDS = ['V-21', 'V-24', 'V-27', 'V-30', 'V-33', 'V-36'];
const GIVEN = [47.35, 31.2, 58.9, 44.15, 39.75, 52.6];

/** A tool is asked for a value, says so of one entry, and then that it was saved. */
const outputs = IDS.flatMap((id, nth): State[] => [
  { tool: 'measure', output: { id, dose: GIVEN[nth], remark: 'calibrated' } },
  {
    tool: 'save',
    output: [
      { saved: id, ok: true },
      { queue: 'empty', ok: true },
    ],
  },
]);
const written = (of: number): State => ({
  doses: IDS.slice(0, of).map((id, nth) => ({ id, dose: nth === 3 ? 41.45 : GIVEN[nth] })),
});
const states = [
  { n: 0, ...written(0) },
  ...outputs.map((last, at) => ({ n: at + 1, last, ...written(Math.ceil((at + 1) / 2)) })),
];

it('is what a tool answered, in whatever shape', () => {
  expect(exchanged(states)).toEqual(['last.output']);
  const end = { ...states.at(-1), n: 99 };
  const [first] = suspectsOf(stepsOf([...states, end]), { error: 'the study was refused' });
  expect(first?.path).toBe('$.doses[3].dose');
  expect(first?.reasons.join(' ')).toContain('The step read "44.15" instead.');
});

it('is neither a window of messages nor an entry that moves to another list', () => {
  const items = IDS.map((id, nth) => ({ id, dose: GIVEN[nth] }));
  const moving = IDS.map((_id, at) => ({ board: { open: items.slice(at), done: items.slice(0, at) } }));
  expect(exchanged(moving)).toEqual([]);
  const said = IDS.flatMap((id) => [
    { role: 'user', text: id },
    { role: 'tool', answer: [id], call: `c-${id}` },
  ]);
  expect(exchanged(said.map((_one, at) => ({ chat: { shown: said.slice(at, at + 4), turn: at } })))).toEqual([]);
});

it('is not an object that has the same fields each time', () => {
  expect(exchanged(IDS.map((id, nth) => ({ current: { id, dose: GIVEN[nth], at: { row: nth } } })))).toEqual([]);
});
