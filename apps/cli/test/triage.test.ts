import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

interface At {
  readonly id: string;
  readonly namespace?: string;
}

describe('errors, inbox, usage, labels and notes on real stores', () => {
  const place = workplace();
  const langgraph = place.langgraph();
  const kaizen = place.kaizen();

  it('groups the failed checkpoints and names the last good one', async () => {
    const { items, coverage } = (await place.json('errors', '-s', langgraph)) as {
      items: { count: number; tasks: { task: string; failed: At; lastNotFailed?: At }[] }[];
      coverage: { n: number; of: number; complete: boolean };
    };
    expect(coverage).toMatchObject({ n: 477, of: 477, complete: true });
    const failed = items.flatMap(({ tasks }) => tasks);
    expect(failed.length).toBeGreaterThan(0);
    // Every door names the same one.
    for (const { task, failed: end, lastNotFailed } of failed) {
      const at = ['--cp', end.id, '--ns', end.namespace ?? ''];
      const { lastGood } = (await place.json('explain', task, ...at, '-s', langgraph)) as { lastGood?: At };
      expect([lastNotFailed?.id, lastNotFailed?.namespace], task).toEqual([lastGood?.id, lastGood?.namespace]);
    }
    const { out } = await place.run('errors', '-s', langgraph);
    expect(out).toMatch(/failures? in \d+ tasks?: /);
  });

  it('finds no failure and no difference in what cannot be read, and says so', async () => {
    const locked = place.kaizen('locked', 'enc');
    const { items } = (await place.json('list', 'unassigned files', '-s', locked)) as { items: { id: string }[] };
    const [a = '', b = ''] = items.map(({ id }) => `unassigned files/${id}`);
    const { out } = await place.run('explain', 'unassigned files', '-s', locked);
    expect(out).toContain('No failure found in what could be read of unassigned files.');
    const compared = await place.run('compare', a, b, '-s', locked);
    expect(compared.out).toContain('No difference found, but not every step could be compared.');
    expect(compared.out).not.toContain('Nothing differs');
  });

  it('lists what waits for a person with the call that continues', async () => {
    const { out } = await place.run('inbox', '-s', langgraph, '-s', kaizen);
    // Nobody is asked where a user has stopped an agent.
    expect(out).not.toContain('(kaizen)');
    expect(out).toContain('graph.invoke(new Command({ resume: ');
    expect(out).toContain("Answer requests in the agent's own program.");
  });

  it.each([
    ['errors', 'it is unknown whether it failed.'],
    ['inbox', 'it is unknown whether it waits.'],
    ['usage', 'it is unknown what it used.'],
  ])('%s says what it cannot know of a checkpoint that cannot be read', async (command, words) => {
    const damaged = place.kaizen('damaged');
    writeFileSync(join(damaged, 'ckpt_0123456789ab.jsonl'), '{');
    expect((await place.run(command, '-s', damaged)).out).toContain(`1 checkpoint can't be read, so ${words}`);
  });

  it('adds up what Kaizen agents spent', async () => {
    const { agents } = (await place.json('usage', '-s', kaizen)) as {
      agents: { agent: string; costUsd?: { value: string } }[];
    };
    expect(agents.map(({ agent }) => agent)).toContain('research_agent');
    expect((await place.run('usage', '-s', kaizen)).out).toContain('COST USD');
  });

  it('gives no all-clear for a task or an agent that nobody has', async () => {
    for (const command of ['errors', 'inbox', 'usage']) {
      for (const task of ['research_agnet', 'kaizen/research_agnet']) {
        const done = await place.run(command, '--task', task, '-s', kaizen, '-s', langgraph);
        expect(done).toMatchObject({ code: 4, out: '' });
        expect(done.err).toContain('Did you mean "research_agent"?');
      }
    }
    const usage = await place.run('usage', '--agent', 'research_agnet', '-s', kaizen);
    expect(usage).toMatchObject({ code: 4, out: '' });
    expect(usage.err).toContain('Did you mean "research_agent"?');
    expect((await place.run('list', 'research', '-s', kaizen)).err).toContain('Did you mean "research_agent"?');
    expect((await place.run('list', 'zzz', '-s', kaizen)).err).toContain('`list` and `tasks` show what exists.');
  });

  it("refuses to remove a label that the checkpoint doesn't have", async () => {
    const done = await place.run('label', 'research_agent/latest', 'nope', '--remove', '-s', kaizen);
    expect(done).toMatchObject({ code: 4, out: '' });
    expect(done.err).toContain('doesn\'t have the label "nope"');
  });

  it('keeps labels and notes in the journal: the store stays as it is', async () => {
    const [first] = ((await place.json('list', 'research_agent', '-s', kaizen)) as { items: { id: string }[] }).items;
    if (!first) throw new Error('research_agent has checkpoints');
    expect(await place.json('label', first.id, 'bookmark', 'good', '-s', kaizen)).toMatchObject({
      labels: ['bookmark', 'good'],
    });
    const listed = (await place.json('list', 'research_agent', '-s', kaizen)) as {
      items: { id: string; labels: string[] }[];
    };
    expect(listed.items.find(({ id }) => id === first.id)?.labels).toEqual(['bookmark', 'good']);
    expect(await place.json('show', first.id, '--meta', '-s', kaizen)).toMatchObject({ labels: ['bookmark', 'good'] });
    expect(await place.json('note', first.id, 'looks right', '-s', kaizen)).toMatchObject({ note: 'looks right' });
    expect(await place.json('label', first.id, 'good', '--remove', '-s', kaizen)).toMatchObject({
      labels: ['bookmark'],
      note: 'looks right',
    });
    expect((await place.run('label', first.id, '-s', kaizen)).out).toBe('Labels: bookmark\nNote: looks right\n');
    expect((await place.run('note', first.id, '--remove', '-s', kaizen)).out).toContain('No note.');
    expect((await place.run('label', 'gone', 'x', '-s', kaizen)).code).toBe(4);
  });
});
