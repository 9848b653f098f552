import { describeSystem } from '@checkpoint-inspector/core/testing';
import { join } from 'node:path';
import { copyOfHome, diskOf, openTranscripts } from './fixtures/open.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';

describeSystem('claude-code', {
  open: async () => {
    const root = await copyOfHome();
    return { sources: [await openTranscripts(join(root, 'projects'))], bytes: () => diskOf(root) };
  },
  facts: [
    {
      tasks: [
        { id: A, checkpoints: 8, unreadable: 0, latest: 'toolu_ask', recorded: 7 },
        { id: `${A}/agent-a1b2c3d`, checkpoints: 3, unreadable: 0, latest: 's-4', recorded: 3 },
        { id: B, checkpoints: 9, unreadable: 0, latest: 'b-10', recorded: 7 },
        { id: C, checkpoints: 10, unreadable: 1, latest: 'c-10' },
      ],
    },
  ],
});
