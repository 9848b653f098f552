import { describeSystem } from '@checkpoint-inspector/core/testing';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { executor } from '../test-executor.ts';
import { copyOfHome, diskOf, openCodex } from './fixtures/open.ts';

const { made } = JSON.parse(await readFile(join(import.meta.dirname, 'fixtures/facts.json'), 'utf8')) as {
  made: Record<string, { thread: string }>;
};
const at = (name: string): string => made[name]?.thread ?? name;
const one = (name: string, checkpoints: number, recorded = 0) => ({ id: at(name), checkpoints, recorded });

/** One turn, so that a delete of its checkpoint is one of the whole thread. */
const CHANGED = { task: at('unicode'), id: '01a2011b-196c-7de3-95db-02d3aa2d1fe0' };

describeSystem('codex', {
  open: async () => {
    const root = await copyOfHome();
    return { sources: [await openCodex(root)], ...executor(), bytes: () => diskOf(root) };
  },
  facts: [
    {
      tasks: [
        one('tools-3-turns', 6),
        one('unicode', 1),
        one('model-error', 1),
        one('model-error-then-resume-1', 2),
        one('long-run', 106),
        one('apply-patch', 3),
        one('fork-by-exec', 2, 1),
        { id: at('waiting-approval-killed'), checkpoints: 1, latest: 'call_0601_0' },
        one('approval-declined', 2),
        one('five-turns', 5),
        one('fork-at-turn-2', 2, 1),
        one('fork-of-fork', 2, 1),
        one('reverted', 6, 1),
        one('compacted', 5),
        one('interrupted', 1),
      ],
      change: CHANGED,
    },
  ],
});
