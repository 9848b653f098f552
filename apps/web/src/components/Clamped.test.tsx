// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Clamped } from './Clamped.tsx';

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('offers the rest of a text that does not fit, and folds it again', () => {
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(900);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(160);
  render(<Clamped testId="text">a long message</Clamped>);
  const button = screen.getByRole('button', { name: 'Show all' });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  expect(screen.getByTestId('text').className).toBe('clamped fading');
  fireEvent.click(button);
  expect(screen.getByTestId('text').className).toBe('clamped open');
  fireEvent.click(screen.getByRole('button', { name: 'Show less' }));
  expect(screen.getByTestId('text').className).toBe('clamped fading');
});

it('has no button where all of it is shown', () => {
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(40);
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(40);
  render(<Clamped>short</Clamped>);
  expect(screen.queryByRole('button')).toBeNull();
});
