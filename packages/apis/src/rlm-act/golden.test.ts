import { fromJsonText } from '@checkpoint-inspector/core';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointDocument, CheckpointManager, type CheckpointFields } from './index.ts';
import { fixture, openRlmAct, temporaryFolder } from '@checkpoint-inspector/systems/testing/rlm-act/fixtures/open';

const GOLDEN = String.raw`{
  "id": "11111111-2222-4333-8444-555555555555",
  "phase": "research-complete",
  "timestamp": "2026-11-21T08:29:44.783892Z",
  "state": {
    "project_path": "/home/dev/\u00fc",
    "empty": {},
    "none": [],
    "nested": [
      {
        "emoji": "\ud83c\udfaf",
        "lone": "\ud83d",
        "quote": "a\"b\\c\n\u0001\u007f<&>/",
        "brackets": "{[,:]}"
      },
      []
    ],
    "big": 12345678901234567890,
    "minus": -0.0,
    "half": 0.5,
    "null": null,
    "yes": true
  },
  "errors": [
    "\u0432\u0442\u043e\u0440\u043e\u0439"
  ],
  "git_commit": ""
}`;

const FIELDS: CheckpointFields = {
  id: '11111111-2222-4333-8444-555555555555',
  phase: 'research-complete',
  timestamp: '2026-11-21T08:29:44.783892Z',
  state: {
    project_path: '/home/dev/ü',
    empty: {},
    none: [],
    nested: [{ emoji: '🎯', lone: '\ud83d', quote: 'a"b\\c\n\u0001\u007f<&>/', brackets: '{[,:]}' }, []],
    big: 12345678901234567890n,
    minus: -0,
    half: 0.5,
    null: null,
    left_out: undefined,
    yes: true,
  },
  errors: ['второй'],
  git_commit: '',
};

describe('documents', () => {
  it('have the spelling of json.dumps(indent=2): order, spaces, ASCII escapes, no line end', () => {
    expect(checkpointDocument(FIELDS)).toBe(GOLDEN);
    const { left_out, ...state } = FIELDS.state;
    expect(left_out).toBeUndefined();
    expect(fromJsonText(GOLDEN)).toEqual({ ...FIELDS, state });
  });

  it('of the real Python pipeline are written again byte for byte', async () => {
    const folder = fixture('python-new-york');
    const names = await readdir(folder);
    expect(names).toHaveLength(10);
    for (const name of names) {
      const stored = await readFile(join(folder, name), 'utf8');
      expect(checkpointDocument(fromJsonText(stored) as CheckpointFields)).toBe(stored);
      expect(name).toBe(`${(fromJsonText(stored) as CheckpointFields).id}.json`);
    }
  });
});

describe('what the interface writes', () => {
  it('is read back equal by the reader', async () => {
    const project = await temporaryFolder();
    const manager = new CheckpointManager(project, { now: () => new Date('2026-11-21T08:29:44.783Z') });
    const path = await manager.writeCheckpoint(FIELDS.state, 'tdd_planning-failed', ['exit 1']);
    const source = await openRlmAct(manager.checkpointsDir);
    const [meta] = (await source.checkpoints((await source.tasks()).items[0]?.id ?? '')).items;
    expect(meta).toMatchObject({
      status: 'failed',
      description: 'tdd_planning-failed: exit 1',
      createdAtText: '2026-11-21T08:29:44.783000Z',
      isLatest: true,
    });
    const text = (await source.state({ task: meta?.taskId ?? '', id: meta?.id ?? '' }))?.text ?? '';
    expect(text).toBe(await readFile(path, 'utf8'));
    expect(text).toBe(
      checkpointDocument({
        ...FIELDS,
        id: meta?.id ?? '',
        phase: 'tdd_planning-failed',
        timestamp: '2026-11-21T08:29:44.783000Z',
        errors: ['exit 1'],
      }),
    );
    const found = await manager.detectCheckpoint();
    expect(found?.state).toEqual((fromJsonText(text) as CheckpointFields).state);
  });
});
