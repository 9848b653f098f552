import { MemoryStore, storeId, type Explanation } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { previewExport } from './bundle.ts';
import { gather } from './gather.ts';
import { report } from './html.ts';
import { stepChart } from './step-chart.ts';

const TASK = 'sales';
const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;
const figures = { north: 51, south: 42, west: 37 };
const wrong = { ...figures, south: 42_000 };

async function failedRun(): Promise<MemoryStore> {
  const store = new MemoryStore({ id: storeId('sales') });
  const lastError = { message: `<b>the ranking</b> contradicts the summary, key ${SECRET}` };
  const states = [
    { figures: {} },
    { figures },
    { figures: wrong },
    { figures: wrong, a: 1 },
    { figures: wrong, lastError },
  ];
  for (const [at, state] of states.entries()) {
    await store.save({
      task: TASK,
      id: `s-${at + 1}`,
      text: JSON.stringify(state),
      stepIndex: at + 1,
      description: `step ${at + 1}`,
      status: at === states.length - 1 ? 'failed' : 'completed',
      ...(at === 0 ? {} : { parent: { task: TASK, id: `s-${at}` } }),
    });
  }
  return store;
}

const reportOf = async (store: MemoryStore): Promise<string> =>
  report(await gather(store, { task: TASK }), { task: TASK });

describe('the first page of a report', () => {
  it('has the step, the error, the last good checkpoint, what was written, and the history of a number', async () => {
    const html = await reportOf(await failedRun());
    const cause = html.slice(html.indexOf('What went wrong'), html.indexOf('<h2>Checkpoints'));
    expect(cause).toContain('Failed at #05 step 5');
    expect(cause).toContain('Last good: #04 step 4, 1 step back.');
    const wrote = cause.slice(cause.indexOf('<h3>What this run wrote'));
    expect(wrote).toMatch(/#03 step 3 <code>figures\.south<\/code> <code>42<\/code> → <b><code>42000<\/code><\/b>/);
    expect(wrote).toContain('The axis is logarithmic.');
    // The head does not say in one line what the page says in full.
    expect(html.slice(html.indexOf('<header>'), html.indexOf('</header>'))).not.toContain('failed');
  });

  it('has what the error names, another run and a check, and moves nothing for a value that is only unusual', async () => {
    const store = await failedRun();
    const at = (seq: number) => ({ task: TASK, id: `s-${seq}`, seq, description: `step ${seq}` });
    const known: Explanation = {
      task: TASK,
      outcome: 'failed',
      kind: 'outside',
      error: { message: 'quota', ref: { task: TASK, id: 's-5' }, node: 'fetch' },
      failingStep: at(5),
      lastGood: { ...at(4), back: 1 },
      writes: Array.from({ length: 9 }, (_none, n) => ({
        ref: at(4),
        path: `$.w${n}`,
        after: `"${'x'.repeat(100)} ${SECRET}"`,
      })),
      named: [
        { text: 'figures.south', path: '$.figures.south', ref: at(3), before: '42', after: '42000' },
        { text: 'refund' },
      ],
      against: {
        task: 'sales-2',
        end: { task: 'sales-2', id: 'x', seq: 12 },
        chosen: 'fork',
        differs: [{ path: '$.fee', here: { value: '1', ref: at(4) }, there: { value: '2' } }],
        missing: [{ call: 'cancel_order', args: '{"id":4}' }],
      },
      unusual: [],
      examined: { n: 5, of: 5, gaps: [] },
    };
    const asked = async (found: Explanation): Promise<string> => {
      const html = await report(await gather(store, { task: TASK }), { task: TASK, explain: async () => found });
      return html.slice(html.indexOf('What went wrong'), html.indexOf('<h2>Checkpoints'));
    };
    const page = await asked(known);
    for (const part of [
      'go back to #04 and run again',
      'in node fetch',
      'last written in #03 step 3',
      'refund: never written',
      'cancel_order({&quot;id&quot;:4})',
      '<code>fee</code> here 1, written in #04; there 2',
      '<summary>3 more</summary>',
    ])
      expect(page).toContain(part);
    expect(page).not.toContain('Unusual');
    expect(page).not.toContain('sk-proj');
    const odd = await asked({
      ...known,
      unusual: [{ ref: at(2), path: '$.fee', after: '-4', reason: 'Its 6 peers are <positive>.' }],
    });
    const [before = '', after = ''] = odd.split(/<h3>Unusual values[\s\S]*?<\/ul>/);
    expect(odd).toContain('Its 6 peers are &lt;positive&gt;.');
    // What stands for a secret is made with a key of each report's own.
    const plain = (text: string): string => text.replaceAll(/••••#\w+/g, '');
    expect(plain(before + after)).toBe(plain(page));
  });

  it('shows the run as a tree, the last good checkpoint, and what was done about it, in local times', async () => {
    const store = await failedRun();
    const parent = { task: TASK, id: 's-2' };
    const text = JSON.stringify({ figures, source: 'live' });
    await store.save({ task: TASK, id: 's-6', text, status: 'completed', stepIndex: 3, parent });
    const html = await report(await gather(store, { task: TASK }), {
      task: TASK,
      timeZone: 'Asia/Tokyo',
      now: new Date('2026-01-31T20:00:00Z'),
    });
    const inUtc = await report(await gather(store, { task: TASK }), { task: TASK, timeZone: 'UTC' });
    expect(inUtc).toContain('. Times are in UTC.');
    expect(html).toContain('Made 2026-02-01 05:00:00. Times are local, in Asia/Tokyo.');
    const [cause = '', rest = ''] = html.slice(html.indexOf('What went wrong')).split('</section>');
    const picture = cause.slice(cause.indexOf('<svg class="run"'), cause.lastIndexOf('</svg>'));
    expect(picture.match(/class="way/g)).toHaveLength(2);
    expect(picture.match(/<circle/g)).toHaveLength(6);
    for (const part of ['>last good<', '>main<', ', failed', ', completed']) expect(picture).toContain(part);
    expect(cause).toContain('Now: <b>completed</b> at #03');
    expect(cause).toMatch(/<b>Forked from #02<\/b>, with <code>.+<\/b>: 1 step, completed\./);
    expect(rest).not.toContain('class="run"');
    // The value of the fork is not a part of the way to the failure.
    const chart = cause.slice(cause.indexOf('<svg class="chart"'), cause.indexOf('<svg class="run"'));
    expect(chart.match(/<circle/g)).toHaveLength(4);
  });

  it('masks secrets, keeps stored text out of the markup, and needs neither script nor inline style', async () => {
    const html = await reportOf(await failedRun());
    expect(html).not.toContain(SECRET);
    expect(html).toContain('&lt;b&gt;the ranking');
    expect(html).not.toMatch(/<script|\sstyle="/);
  });

  it('counts each secret once, however often it is stored, and as the preview of the export did', async () => {
    const store = await failedRun();
    const again = { task: TASK, id: 's-5' };
    const text = JSON.stringify({ key: SECRET, log: [SECRET, `used ${SECRET}`] });
    await store.save({ task: TASK, id: 's-6', text, status: 'completed', parent: again });
    const { masked } = await previewExport([await gather(store, { task: TASK })]);
    expect(masked).toEqual([{ name: 'OpenAI key', count: 1 }]);
    expect(await reportOf(store)).toContain('Masked: 1 × OpenAI key.');
  });

  it('still says what went wrong when a fork has mended the task, and is missing where nothing failed', async () => {
    const store = await failedRun();
    const parent = { task: TASK, id: 's-2' };
    await store.save({ task: TASK, id: 's-6', text: JSON.stringify({ figures }), status: 'completed', parent });
    expect(await reportOf(store)).toContain('42000');
    expect(await reportOf(store)).toContain('Failed at #05 step 5');
    const fine = new MemoryStore({ id: storeId('fine') });
    await fine.save({ task: TASK, id: '1', text: '{}', status: 'completed' });
    expect(await reportOf(fine)).not.toContain('What went wrong');
  });
});

it('a chart of equal values is a flat line with one label', () => {
  const points = ['#1', '#2', '#3'].map((name) => ({ name, value: 5, isMarked: false }));
  const svg = stepChart(points, 'n');
  expect(svg).toContain('M24 73H360V73H696V73');
  expect(svg.match(/>5</g)).toHaveLength(1);
});
