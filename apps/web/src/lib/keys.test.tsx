// @vitest-environment jsdom
import { cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { registeredKeys, standsFor, useKeys, type KeyMap } from './keys.ts';
import { changeSettings, DEFAULT_SETTINGS } from './settings.ts';

function Keys({ map, children }: { readonly map: KeyMap; readonly children?: React.ReactNode }) {
  useKeys(map);
  return <div>{children}</div>;
}

const press = (key: string, target: Element = document.body, more: object = {}): boolean =>
  fireEvent.keyDown(target, { key, ...more });

describe('keys', () => {
  afterEach(() => {
    cleanup();
    document.body.replaceChildren();
    changeSettings(DEFAULT_SETTINGS);
  });
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
  it('leave Space to what it presses', () => {
    const run = vi.fn();
    const { getByRole } = render(
      <Keys map={{ Space: run }}>
        <button type="button">go</button>
      </Keys>,
    );
    press(' ', getByRole('button'));
    expect(run).not.toHaveBeenCalled();
    press(' ');
    expect(run).toHaveBeenCalledTimes(1);
  });
  it('can be put elsewhere, sequences too', () => {
    const [next, tasks] = [vi.fn(), vi.fn()];
    render(<Keys map={{ j: next, 'g t': tasks }} />);
    changeSettings({ remap: { j: 'ö', 'g t': 'y t' } });
    press('j');
    expect(next).not.toHaveBeenCalled();
    press('ö');
    press('g');
    press('t');
    expect(tasks).not.toHaveBeenCalled();
    press('y');
    press('t');
    expect([next.mock.calls.length, tasks.mock.calls.length]).toEqual([1, 1]);
    expect(standsFor('j', { k: 'j', j: 'k' })).toBe('k');
  });
  it('can be switched off; those with Ctrl and arrows stay', () => {
    const runs = { j: vi.fn(), 'g t': vi.fn(), Delete: vi.fn(), 'Ctrl+k': vi.fn(), ArrowDown: vi.fn() };
    render(<Keys map={runs} />);
    expect(registeredKeys()).toEqual(Object.keys(runs));
    changeSettings({ keys: false });
    for (const key of ['j', 'g', 't', 'Delete', 'ArrowDown']) press(key);
    press('k', document.body, { ctrlKey: true });
    expect(Object.values(runs).map((run) => run.mock.calls.length)).toEqual([0, 0, 0, 1, 1]);
  });
});
