import { describeSystem } from '@checkpoint-inspector/core/testing';
import { executor } from '../test-executor.ts';
import { copyOf, diskOf, openChats } from './fixtures/open.ts';

describeSystem('gemini-cli five turns', {
  open: async () => {
    const root = await copyOf('five-turns');
    return { sources: [await openChats(root)], ...executor(), bytes: () => diskOf(root) };
  },
  facts: [
    {
      tasks: [
        {
          id: '69b7c1ad-8f45-4ea9-a77b-0ecab4fb561f',
          checkpoints: 15,
          unreadable: 0,
          latest: '3bb9b403-cbd6-46d0-9a49-12c716fc2aba',
        },
        {
          id: 'dc85c031-8df5-4f1e-aeea-55c502ee13b6',
          checkpoints: 3,
          unreadable: 0,
          latest: 'df96b971-adbd-4884-a740-4a1ed868546c',
        },
      ],
    },
  ],
});

describeSystem('gemini-cli calls of tools', {
  open: async () => {
    const root = await copyOf('tool-calls');
    return { sources: [await openChats(root)], ...executor(), bytes: () => diskOf(root) };
  },
  facts: [
    {
      tasks: [
        {
          id: 'cf47fadf-e6ea-4157-bfac-d185c067e15a',
          checkpoints: 7,
          unreadable: 0,
          latest: '3140be4f-2b38-4527-912b-62212e9de729',
        },
      ],
    },
  ],
});
