// @vitest-environment jsdom
import { cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useKeys, type KeyMap } from './keys.ts';

function Keys({ map, children }: { readonly map: KeyMap; readonly children?: React.ReactNode }) {
  useKeys(map);
  return <div>{children}</div>;
}

const press = (key: string, target: Element = document.body, more: object = {}): boolean =>
  fireEvent.keyDown(target, { key, ...more });

describe('keys', () => {
  afterEach(cleanup);
  it('run their handler once, and the newest map wins', () => {
    const [outer, inner] = [vi.fn(), vi.fn()];
    render(<Keys map={{ j: outer, k: outer }} />);
    render(<Keys map={{ j: inner }} />);
    press('j');
    press('k');
    expect([outer.mock.calls.length, inner.mock.calls.length]).toEqual([1, 1]);
  });
  it('take sequences, and the second key alone means something else', () => {
    const [tasks, t] = [vi.fn(), vi.fn()];
    render(<Keys map={{ 'g t': tasks, t }} />);
    press('g');
    press('t');
    press('t');
    expect([tasks.mock.calls.length, t.mock.calls.length]).toEqual([1, 1]);
  });
  it('are off while typing, in dialogs, and with Alt', () => {
    const run = vi.fn();
    const { container } = render(
      <Keys map={{ r: run }}>
        <input />
      </Keys>,
    );
    press('r', container.querySelector('input') ?? document.body);
    press('r', document.body, { altKey: true });
    render(<div role="dialog" />);
    press('r');
    expect(run).not.toHaveBeenCalled();
  });
  it('stop with their component', () => {
    const run = vi.fn();
    render(<Keys map={{ r: run }} />).unmount();
    press('r');
    expect(run).not.toHaveBeenCalled();
  });
});
