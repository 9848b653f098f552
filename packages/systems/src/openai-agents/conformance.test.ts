import { describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { executor } from '../test-executor.ts';
import { copyOf, diskOf, openFolder } from './fixtures/open.ts';

async function openCopy(name: 'runstates' | 'sessions') {
  const folder = await copyOf(name);
  return { sources: [await openFolder(folder)], ...executor(), bytes: () => diskOf(folder) };
}

const run = (id: string, checkpoints: number, latest: string): TaskFacts => ({ id, checkpoints, latest, recorded: 0 });

describeSystem('OpenAI Agents SDK, run states', {
  open: () => openCopy('runstates'),
  facts: [
    {
      tasks: [
        run('resp_926', 1, 'tools-done-turn-1'),
        run('resp_928', 1, 'tools-done-turn-2'),
        run('resp_930', 2, 'resumed-approved'),
        run('resp_931', 3, 'resumed-approve-and-reject'),
        run('resp_934', 1, 'handoff-waiting-in-Billing'),
        run('resp_937', 1, 'max-turns'),
        run('resp_1047', 1, 'unicode'),
      ],
      change: { task: 'resp_931', id: 'waiting-two-approvals' },
    },
  ],
});
