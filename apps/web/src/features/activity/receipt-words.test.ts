import { expect, it } from 'vitest';
import { undoOf } from './receipt-words.ts';

it('offers undo only where one click does it, else says why not', () => {
  expect(undoOf({ undoable: true })).toEqual({ kind: 'possible' });
  expect(undoOf({ undoable: 'A newer checkpoint was saved.' })).toEqual({
    kind: 'none',
    reason: 'A newer checkpoint was saved.',
  });
  expect(undoOf({ undoable: true, undoneBy: 'r2' })).toEqual({ kind: 'none', reason: 'Taken back' });
});
