import { InspectorError, planList, type Receipt } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { changeBlock } from './index.tsx';
import { actOf, proofOf, undoRefusal } from './proof.ts';
import {
  confirmLabel,
  conflictText,
  latestAfterText,
  planLines,
  titleOf,
  unchangedText,
  undoPromise,
} from './sentences.ts';
import { nameOf, planFor, receiptFor, ref } from './testing/plans.ts';

const restore = { kind: 'restore', ref: ref('c6') } as const;
const remove = { kind: 'delete', refs: [ref('c2'), ref('c3')] } as const;

describe('titles and buttons', () => {
  it('name the act and its object', () => {
    expect(titleOf(restore, nameOf)).toBe('Restore #06 to run');
    expect(titleOf(restore, nameOf, 'Rank them')).toBe('Restore #06 to Rank them');
    expect(titleOf({ ...restore, targetTask: 'copy' }, nameOf)).toBe('Restore #06 into copy');
    expect(titleOf({ kind: 'fork', ref: ref('c6', '') }, nameOf)).toBe('Fork #06 of (empty id)');
    expect(titleOf(remove, nameOf)).toBe('Delete 2 checkpoints from run');
    expect(confirmLabel(remove, nameOf)).toBe('Delete 2');
    expect(confirmLabel(restore, nameOf)).toBe('Restore #06');
  });
});

describe('a plan in words', () => {
  it('says what latest will return', () => {
    expect(latestAfterText(planFor(restore), nameOf)).toBe('The state of #06');
    expect(latestAfterText(planFor(remove), nameOf)).toBe('#10, as now');
    expect(latestAfterText(planFor(remove, { latestAfter: ref('c1') }), nameOf)).toBe('#01');
    const { latestAfter: _, ...none } = planFor(remove);
    expect(latestAfterText(none, nameOf)).toBe('none');
  });

  it('names what is evicted, and when', () => {
    const evicts = planList([
      { ref: ref('c1'), reason: 'the store keeps 10 and has 10', sizeBytes: 6100, when: 'now' as const },
      { ref: ref('c2'), reason: 'one more save fills it', when: 'next-save' as const },
    ]);
    const lines = planLines(planFor(restore, { evicts }), nameOf, () => 'input');
    expect(lines.filter((line) => line.kind === 'evicts')).toEqual([
      {
        kind: 'evicts',
        key: 'Evicts',
        lead: '#01',
        text: ' input, 6.1 kB, will be evicted now. The store keeps 10 and has 10.',
      },
      {
        kind: 'evicts',
        key: '',
        lead: '#02',
        text: " input, will be evicted at the agent's next save. One more save fills it.",
      },
    ]);
  });

  it('gives a reason once where it is the same for the next one', () => {
    const reason = 'the lines of the session as a new one';
    const writes = planList([
      { ref: ref('c1'), reason, sizeBytes: 6100 },
      { ref: ref('c2'), reason },
      { ref: ref('c3'), reason: 'another' },
    ]);
    const lines = planLines(planFor(restore, { writes }), nameOf).filter((line) => line.kind === 'writes');
    expect(lines.map(({ text }) => text)).toEqual([
      ', 6.1 kB. The lines of the session as a new one.',
      '',
      '. Another.',
    ]);
  });

  it('counts what it does not spell out', () => {
    const refs = Array.from({ length: 250 }, (_, at) => ref(`c${at + 1}`));
    const lines = planLines(planFor({ kind: 'delete', refs }), nameOf).filter((line) => line.kind === 'removes');
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)?.text).toBe('244 more');
  });

  it('keeps warnings word for word', () => {
    const warnings = [{ code: 'graph', message: 'The graph changed since #06.' }];
    expect(planLines(planFor(restore, { warnings }), nameOf).at(-1)).toEqual({
      kind: 'warning',
      key: 'Check first',
      text: 'The graph changed since #06.',
    });
  });

  it('promises only what undo does', () => {
    const evicts = planList([{ ref: ref('c1'), reason: 'full', when: 'now' as const }]);
    expect(undoPromise(planFor(restore, { evicts }), nameOf)).toBe(
      'Undo brings back #10 as latest and #01 byte for byte, as long as the task has not moved on.',
    );
    expect(undoPromise(planFor(remove), nameOf)).toBe(
      'Undo brings back #02, #03 byte for byte, even after the agent has saved again.',
    );
    expect(undoPromise(planFor(restore, { latestAfter: ref('c10') }), nameOf)).toContain(
      'removes the new checkpoint again',
    );
  });

  it('says from where to where the head moved', () => {
    const [before, now] = [
      { ref: ref('c10'), basis: 'rule' as const },
      { ref: ref('c11'), basis: 'rule' as const },
    ];
    expect(conflictText(before, now, nameOf, 'x')).toBe('Head moved from #10 to #11 after the preview.');
    expect(conflictText(before, before, nameOf, 'It was saved again.')).toBe('It was saved again.');
  });

  it('never claims that nothing changed where that is unknown', () => {
    expect(unchangedText(new InspectorError('disk_full', 'x'))).toBe('Nothing was changed in the store.');
    expect(unchangedText(new InspectorError('internal', 'x', { data: { offline: true } }))).toContain('Check Activity');
    expect(unchangedText(new InspectorError('proof_failed', 'x'))).toContain('The change was made');
  });
});

describe('the proof', () => {
  it('says what the store answers now', () => {
    const text = proofOf(receiptFor(restore, { removed: [ref('c1')] }), nameOf, 'research.db');
    expect(text).toEqual({
      tone: 'good',
      title: 'Restored. Latest now returns this state ✓',
      evidence: 'Read back from research.db: latest is #11, c11. Evicted #01, kept for undo.',
    });
  });

  it.each([
    ['different', 'warn', 'another state'],
    ['none', 'good', "couldn't be verified"],
  ] as const)('is honest about %s', (proof, tone, words) => {
    const text = proofOf(receiptFor(restore, { proof }), nameOf, 'db');
    expect(text.tone).toBe(tone);
    expect(text.title).toContain(words);
    expect(text.title).not.toContain('✓');
  });

  it('says which of both is not as planned', () => {
    const titleOf = (differs: Receipt['differs'] & object) =>
      proofOf(receiptFor(restore, { proof: 'different', differs }), nameOf, 'db').title;
    expect(titleOf(['written'])).toBe('Written, but what was written differs from the plan.');
    expect(titleOf(['latest'])).toBe("Written, but the latest isn't the planned one.");
    expect(titleOf(['written', 'latest'])).toContain("differs from the plan, and the latest isn't the planned one.");
  });

  it('counts what was not done', () => {
    const receipt = receiptFor(remove, {
      removed: [ref('c3')],
      failed: [{ ref: ref('c2'), what: 'c2', reason: 'the file is read-only' }],
    });
    expect(proofOf(receipt, nameOf, 'db')).toMatchObject({
      tone: 'warn',
      title: '1 deleted, 1 failed: the file is read-only',
    });
    expect(actOf(receipt, nameOf)).toBe('Deleted #02, #03');
  });
});

describe('an undo that is refused', () => {
  it('names the checkpoints that it would take away', () => {
    const error = new InspectorError('undo_conflict', 'The latest is another one.', {
      data: { newer: [ref('c12'), ref('c13')] },
    });
    expect(undoRefusal(error, nameOf)).toMatchObject({
      tone: 'warn',
      title: 'Not undone: it would also remove #12, #13, saved since.',
    });
  });

  it('repeats the reason where no checkpoints are named', () => {
    const error = new InspectorError('undo_conflict', 'It is already undone, by r2.', { data: { undoneBy: 'r2' } });
    expect(undoRefusal(error, nameOf).title).toBe('Not undone: It is already undone, by r2.');
  });
});

describe('changeBlock', () => {
  const info = { capabilities: { restore: true, fork: 'It keeps one lane.', edit: true, delete: true } } as const;
  it('gives the reason of the server, then of the store', () => {
    expect(changeBlock('fork', info, { readOnly: false, stale: false })).toBe('It keeps one lane.');
    expect(changeBlock('restore', info, { readOnly: false, stale: false })).toBeUndefined();
    expect(changeBlock('restore', info, { readOnly: true, stale: false })).toBe('Started with --read-only.');
    expect(changeBlock('restore', info, { readOnly: true, stale: true })).toBe('The server does not answer.');
  });
});
