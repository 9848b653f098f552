// @vitest-environment jsdom
import type { Difference } from '@checkpoint-inspector/core';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { setRevealed } from '../../lib/masking.ts';
import { DiffRow } from './DiffRow.tsx';
import { showRest } from './DiffValue.tsx';
import { DiffSum } from './DiffRow.tsx';

const show = (item: Difference) => render(<DiffRow item={item} label="x" focused={false} />).container.textContent;

describe('a diff row', () => {
  afterEach(cleanup);
  it('shows numbers as stored', () => {
    const text = show({ path: '$.x', kind: 'changed', before: '4.20', after: '12345678901234567890' });
    expect(text).toContain('4.20');
    expect(text).toContain('12345678901234567890');
  });
  it('names both types of a type change', () => {
    expect(show({ path: '$.x', kind: 'type-changed', before: '0', after: '"0"' })).toMatch(/0number.*"0"string/);
  });
  it('shows the value that moved, and both places', () => {
    const moved = show({ path: '$.a[1]', kind: 'moved', from: '$.a[4]', after: '{"id":"m4"}' });
    expect(moved).toContain('{"id":"m4"}moved from a[4] to [1]');
  });
  it('masks what only its path says is a secret', () => {
    expect(show({ path: '$.db.pin', kind: 'changed', before: '4711', after: '4712' })).not.toMatch(/471/);
    expect(show({ path: '$.password', kind: 'added', after: '"hunter2"' })).not.toContain('hunter2');
    const long = 'correct horse battery staple';
    const words: Difference = { path: '$.password', kind: 'changed', before: `"${long} 1"`, after: `"${long} 2"` };
    expect(show(words)).not.toContain('horse');
    setRevealed(true);
    expect(show(words)).toContain('horse');
    setRevealed(false);
  });
  it('counts with separators', () => {
    render(<DiffSum summary={{ added: 0, removed: 0, changed: 10_000, moved: 0 }} />);
    expect(screen.getByTestId('diff-sum').textContent).toContain('10,000');
  });
  it('says its kind in words', () => {
    expect(show({ path: '$.x', kind: 'removed', before: '1' })).toContain('removed');
  });
  it('shows a long value whole when asked', () => {
    show({ path: '$.x', kind: 'added', after: `"${'y'.repeat(3000)}"` });
    fireEvent.click(screen.getByText(/show whole value/));
    expect(document.body.textContent).toContain('y'.repeat(3000));
  });
  it('shows it with Enter too, as rows of a list box have no buttons', () => {
    const item: Difference = { path: '$.x', kind: 'added', after: `"${'y'.repeat(3000)}"` };
    render(
      <div role="listbox" tabIndex={0} aria-activedescendant="row" onKeyDown={showRest}>
        <div role="option" aria-selected id="row">
          <DiffRow item={item} label="x" focused />
        </div>
      </div>,
    );
    expect(screen.queryByRole('button')).toBeNull();
    fireEvent.keyDown(screen.getByRole('listbox'), { key: 'a' });
    expect(document.body.textContent).not.toContain('y'.repeat(3000));
    fireEvent.keyDown(screen.getByRole('listbox'), { key: 'Enter' });
    expect(document.body.textContent).toContain('y'.repeat(3000));
  });
  it('marks words of long strings', () => {
    show({
      path: '$.x',
      kind: 'changed',
      before: '"the quick brown fox jumps over it"',
      after: '"the quick red fox jumps over it"',
    });
    expect(document.querySelector('del')?.textContent).toBe('brown');
    expect(document.querySelector('ins')?.textContent).toBe('red');
  });
});

describe('the counts', () => {
  afterEach(cleanup);
  it('leave out kinds without rows', () => {
    const { container } = render(<DiffSum summary={{ added: 2, removed: 0, changed: 3, moved: 1 }} />);
    expect(container.textContent?.replaceAll(' ', '')).toBe('+2added~3changed↕1moved');
  });
});
