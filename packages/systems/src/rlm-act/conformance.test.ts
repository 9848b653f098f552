import { describeSystem, type SourceFacts } from '@checkpoint-inspector/core/testing';
import { executor } from '../test-executor.ts';
import { copyOf, diskOf, openRlmAct, timesOf, type Fixture } from './fixtures/open.ts';

async function openCopy(name: Fixture) {
  const folder = await copyOf(name);
  return {
    sources: [await openRlmAct(folder)],
    ...executor(),
    bytes: async () => [await diskOf(folder), await timesOf(folder)],
  };
}

function facts(id: Fixture, checkpoints: number, unreadable: number, latest: string): SourceFacts {
  return { tasks: [{ id, checkpoints, unreadable, latest, recorded: 0 }] };
}

describeSystem('rlm-act python', {
  open: () => openCopy('python-new-york'),
  facts: [facts('python-new-york', 10, 0, 'd52fa138-e9aa-4a58-9e78-bf3fab013661')],
});
describeSystem('rlm-act go', {
  open: () => openCopy('go'),
  facts: [facts('go', 6, 0, '6180342f-8609-4cc6-ad96-8a43db79a994')],
});
describeSystem('rlm-act bad', {
  open: () => openCopy('bad'),
  facts: [facts('bad', 11, 7, '00000000-0000-4000-8000-0000000exact')],
});
