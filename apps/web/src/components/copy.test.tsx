// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { CopyButton } from './States.tsx';
import { useMessage } from './toast.ts';
import { ToastRegion } from './ToastRegion.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Page() {
  const message = useMessage();
  return (
    <>
      <CopyButton text="npx agent --resume cp-7" />
      {message && <ToastRegion message={message} />}
    </>
  );
}

it.each([
  ['refuses', { writeText: () => Promise.reject(new Error('denied')) }],
  ['has no clipboard, as on a page from another machine without https', undefined],
])('says that nothing was copied where the browser %s', async (_name, clipboard) => {
  vi.stubGlobal('navigator', { ...navigator, clipboard });
  render(<Page />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText("The browser doesn't allow copying here.")).toBeDefined();
  expect(screen.queryByText('Copied')).toBeNull();
});

it('says in its place that it was copied', async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
  render(<Page />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText('Copied')).toBeDefined();
  expect(writeText).toHaveBeenCalledWith('npx agent --resume cp-7');
});
