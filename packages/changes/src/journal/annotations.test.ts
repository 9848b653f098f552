import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from './journal.ts';
import type { Journal } from './types.ts';

const PLACE = '/data/runs.sqlite';
let folder: string;
let journal: Journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annotations-'));
  journal = openJournal({ folder });
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

describe('labels and notes', () => {
  it('kept under an earlier place of the store are found, changed and removed', () => {
    const ref = { task: 'run', id: 'a' };
    const { annotations } = journal;
    annotations.addLabel('/data', ref, 'bookmark');
    annotations.setNote('/data', ref, 'old');
    const places = [PLACE, '/data'] as const;
    annotations.addLabel(places, ref, 'bookmark');
    annotations.addLabel(places, ref, 'new');
    expect(annotations.of(places, ref)).toMatchObject({ labels: ['bookmark', 'new'], note: 'old' });
    annotations.setNote(places, ref, 'newer');
    annotations.removeLabel(places, ref, 'bookmark');
    expect(annotations.ofTask(places, 'run')).toMatchObject([{ labels: ['new'], note: 'newer' }]);
    expect(annotations.of('/data', ref)).toEqual({ ref, labels: [] });
    annotations.setNote(places, ref, ' ');
    expect(annotations.of(places, ref)).not.toHaveProperty('note');
  });

  it('says of a place alone whether it has labels', () => {
    const { annotations } = journal;
    annotations.setNote(PLACE, { task: 'run', id: 'a' }, 'a note is no label');
    annotations.addLabel('/data/other.sqlite', { task: 'run', id: 'a' }, 'bookmark');
    expect(annotations.hasLabels(PLACE)).toBe(false);
    annotations.addLabel(PLACE, { task: 'run', id: 'a' }, 'bookmark');
    expect(annotations.hasLabels(PLACE)).toBe(true);
    expect(annotations.hasLabels(['/data/new.sqlite', PLACE])).toBe(true);
    annotations.removeLabel(PLACE, { task: 'run', id: 'a' }, 'bookmark');
    expect(annotations.hasLabels(PLACE)).toBe(false);
  });

  it('are there again after the journal is opened again, in one answer per checkpoint', () => {
    journal.annotations.addLabel(PLACE, { task: 'run', id: 'a' }, 'bookmark');
    journal.annotations.addLabel(PLACE, { task: 'run', id: 'a' }, 'before the fix');
    journal.annotations.setNote(PLACE, { task: 'run', id: 'a' }, 'The last one\nwith the right unit.');
    journal.annotations.setNote(PLACE, { task: 'run', id: 'b' }, 'wrong');
    journal.close();
    journal = openJournal({ folder });
    const [a, b, ...rest] = journal.annotations.ofTask(PLACE, 'run');
    expect(a).toEqual({
      ref: { task: 'run', id: 'a' },
      labels: ['before the fix', 'bookmark'],
      note: 'The last one\nwith the right unit.',
      writtenAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(b).toMatchObject({ ref: { task: 'run', id: 'b' }, labels: [], note: 'wrong' });
    expect(rest).toEqual([]);
  });

  it('keeps apart tasks whose names begin alike, namespaces, and places', () => {
    const { annotations } = journal;
    annotations.addLabel(PLACE, { task: 'run', id: 'a' }, 'one');
    annotations.addLabel(PLACE, { task: 'run"', id: 'a' }, 'two');
    annotations.addLabel(PLACE, { task: 'run-2', id: 'a' }, 'three');
    annotations.addLabel(PLACE, { task: 'run', namespace: 'sub', id: 'a' }, 'four');
    annotations.addLabel('/elsewhere', { task: 'run', id: 'a' }, 'five');
    expect(annotations.ofTask(PLACE, 'run').map(({ ref, labels }) => [ref.namespace, labels])).toEqual([
      [undefined, ['one']],
      ['sub', ['four']],
    ]);
    expect(annotations.of(PLACE, { task: 'run"', id: 'a' }).labels).toEqual(['two']);
    expect(annotations.ofPlace(PLACE)).toHaveLength(4);
  });

  it('takes an empty namespace for none, as stores do', () => {
    journal.annotations.addLabel(PLACE, { task: 'run', namespace: '', id: 'a' }, 'one');
    expect(journal.annotations.of(PLACE, { task: 'run', id: 'a' }).labels).toEqual(['one']);
  });

  it('removes what is taken away, and a blank note', () => {
    const ref = { task: 'run', id: 'a' };
    journal.annotations.addLabel(PLACE, ref, 'bookmark');
    journal.annotations.setNote(PLACE, ref, 'why');
    expect(journal.annotations.removeLabel(PLACE, ref, 'bookmark').labels).toEqual([]);
    expect(journal.annotations.setNote(PLACE, ref, ' \n')).toEqual({ ref, labels: [] });
    expect(journal.annotations.ofPlace(PLACE)).toEqual([]);
  });

  it.each(['', ' edge', 'two\nlines', 'x'.repeat(61)])('refuses the label %j', (label) => {
    expect(() => journal.annotations.addLabel(PLACE, { task: 'run', id: 'a' }, label)).toThrow('A label must have');
    expect(journal.annotations.ofPlace(PLACE)).toEqual([]);
  });

  it('refuses a note that is a book', () => {
    expect(() => journal.annotations.setNote(PLACE, { task: 'run', id: 'a' }, 'x'.repeat(20_001))).toThrow('at most');
  });
});
