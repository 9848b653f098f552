import { describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

describe('errors, inbox, usage, labels and notes on real stores', () => {
  const place = workplace();
  const langgraph = place.langgraph();
  const kaizen = place.kaizen();

  it('groups the failed checkpoints and names the last good one', () => {
    const { items, coverage } = place.json('errors', '-s', langgraph) as {
      items: { count: number; tasks: { lastGood?: { id: string } }[] }[];
      coverage: { n: number; of: number; complete: boolean };
    };
    expect(coverage).toMatchObject({ n: 477, of: 477, complete: true });
    expect(items.length).toBeGreaterThan(0);
    expect(place.run('errors', '-s', langgraph).out).toMatch(/failures? in \d+ tasks?: /);
  });

  it('lists what waits for a person with the call that goes on', () => {
    const { out } = place.run('inbox', '-s', langgraph, '-s', kaizen);
    expect(out).toContain('graph.invoke(new Command({ resume: ');
    expect(out).toContain('await manager.resume_from_latest(');
    expect(out).toContain('Requests are answered by the agent’s own program.');
  });

  it('adds up what Kaizen agents spent', () => {
    const { agents } = place.json('usage', '-s', kaizen) as {
      agents: { agent: string; costUsd?: { value: string } }[];
    };
    expect(agents.map(({ agent }) => agent)).toContain('research_agent');
    expect(place.run('usage', '-s', kaizen).out).toContain('COST USD');
  });

  it('keeps labels and notes in the journal: the store stays as it is', () => {
    const [first] = (place.json('list', 'research_agent', '-s', kaizen) as { items: { id: string }[] }).items;
    if (!first) throw new Error('research_agent has checkpoints');
    expect(place.json('label', first.id, 'bookmark', 'good', '-s', kaizen)).toMatchObject({
      labels: ['bookmark', 'good'],
    });
    const listed = place.json('list', 'research_agent', '-s', kaizen) as { items: { id: string; labels: string[] }[] };
    expect(listed.items.find(({ id }) => id === first.id)?.labels).toEqual(['bookmark', 'good']);
    expect(place.json('show', first.id, '--meta', '-s', kaizen)).toMatchObject({ labels: ['bookmark', 'good'] });
    expect(place.json('note', first.id, 'looks right', '-s', kaizen)).toMatchObject({ note: 'looks right' });
    expect(place.json('label', first.id, 'good', '--remove', '-s', kaizen)).toMatchObject({
      labels: ['bookmark'],
      note: 'looks right',
    });
    expect(place.run('label', first.id, '-s', kaizen).out).toBe('Labels: bookmark\nNote: looks right\n');
    expect(place.run('note', first.id, '--remove', '-s', kaizen).out).toContain('No note.');
    expect(place.run('label', 'gone', 'x', '-s', kaizen).code).toBe(4);
  });
});
