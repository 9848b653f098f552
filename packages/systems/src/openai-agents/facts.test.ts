/** The SDK's own answers, written beside the strings, against what is shown. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOf, fixture, openFolder } from './fixtures/open.ts';
import { messagesOf, requestsOf } from './view.ts';

interface StateFacts {
  readonly interruptions: readonly { readonly tool: string; readonly args: string; readonly agent: string }[];
  readonly currentAgent: string;
  readonly currentTurn: number;
  readonly currentStep: string;
  readonly finalOutput?: string;
  readonly usage: { readonly totalTokens: number };
  readonly threw?: string;
}

const STATUS: Readonly<Record<string, string>> = {
  next_step_interruption: 'interrupted',
  next_step_final_output: 'completed',
};

let facts: { readonly states: Readonly<Record<string, StateFacts>> };
beforeAll(async () => {
  facts = JSON.parse(await readFile(fixture('facts.json'), 'utf8')) as typeof facts;
});

describe('run states against the answers of the SDK', () => {
  it('lists agent, turn, status, tokens and questions of each', async () => {
    const source = await openFolder(await copyOf('runstates'));
    let compared = 0;
    for (const { id: task } of (await source.tasks()).items) {
      for (const row of (await source.checkpoints(task)).items) {
        const known = facts.states[row.id];
        if (known === undefined || known.threw !== undefined) continue;
        compared += 1;
        expect(row, row.id).toMatchObject({
          agentId: known.currentAgent,
          stepIndex: known.currentTurn,
          tokenUsage: known.usage.totalTokens,
          status: STATUS[known.currentStep],
          timeBasis: 'file',
        });
        const { text } = (await source.state({ task, id: row.id })) ?? { text: '' };
        expect(text).toBe(await readFile(fixture(`runstates/${row.id}.json`), 'utf8'));
        expect(requestsOf(text).map(({ from, text: words }) => ({ from, words }))).toEqual(
          known.interruptions.map(({ tool, args, agent }) => ({ from: agent, words: `${tool}(${args})` })),
        );
        const said = messagesOf(text)[0]?.messages.at(-1)?.text;
        if (known.finalOutput !== undefined) expect(said).toBe(known.finalOutput);
      }
    }
    expect(compared).toBe(9);
  });

  it('reads a run by its responses: what followed what, and where the turns ended', async () => {
    const source = await openFolder(await copyOf('runstates'));
    const { items } = await source.checkpoints('resp_931');
    expect(items.map(({ id, parentId, lineage }) => [id, parentId, lineage])).toEqual([
      ['resumed-approve-and-reject', 'waiting-one-approved-one-open', 'inferred'],
      ['waiting-one-approved-one-open', 'waiting-two-approvals', 'inferred'],
      ['waiting-two-approvals', undefined, 'none'],
    ]);
    const tasks = (await source.tasks()).items;
    expect(tasks.find(({ id }) => id === 'resp_937')).toMatchObject({
      title: 'loop forever',
      status: 'failed',
      lastError: 'Max turns (4) exceeded',
    });
    expect(tasks.find(({ id }) => id === 'resp_928')?.title).toBe('And Oslo and Atlantis?');
  });

  it('reads the items of a session as one conversation', async () => {
    const source = await openFolder(await copyOf('sessions'));
    const [task] = (await source.tasks()).items;
    expect(task).toMatchObject({ id: 'session-weather', title: 'And Oslo and Atlantis?', checkpointCount: 1 });
    const { text } = (await source.state({ task: 'session-weather', id: 'session-weather' })) ?? { text: '' };
    const [channel] = messagesOf(text);
    expect(channel?.messages.map(({ role }) => role)).toEqual([
      'human',
      'ai',
      'tool',
      'ai',
      'human',
      'ai',
      'ai',
      'tool',
      'tool',
      'ai',
    ]);
  });
});
