// @vitest-environment jsdom
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { onDemand } from './on-demand.tsx';
import { useMessage } from './toast.ts';
import { ToastRegion } from './ToastRegion.tsx';

afterEach(cleanup);

function Toaster() {
  const message = useMessage();
  return message && <ToastRegion message={message} />;
}

const Panel = ({ name }: { readonly name: string; readonly onClose?: () => void }) => <p>{name}</p>;

test('a part is fetched once, and then shown at once', async () => {
  const load = vi.fn(async () => Panel);
  const Part = onDemand(load);
  const first = render(<Part name="first" />);
  await screen.findByText('first');
  first.unmount();
  render(<Part name="second" />);
  expect(screen.getByText('second')).toBeTruthy();
  expect(load).toHaveBeenCalledOnce();
});

test('a part that cannot be fetched says so, closes, and is fetched again the next time', async () => {
  const load = vi.fn(async () => Panel).mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const Part = onDemand(load);
  const onClose = vi.fn();
  render(<Toaster />);
  const failed = render(<Part name="palette" onClose={onClose} />);
  await screen.findByText('This part of the page could not be loaded.');
  expect(onClose).toHaveBeenCalledOnce();
  failed.unmount();
  render(<Part name="palette" onClose={onClose} />);
  await screen.findByText('palette');
});

test('fetching ahead fails without a word', async () => {
  const load = vi.fn(async () => Panel).mockRejectedValueOnce(new TypeError('Failed to fetch'));
  const Part = onDemand(load);
  await act(async () => Part.preload());
  render(<Part name="palette" />);
  await waitFor(() => expect(load).toHaveBeenCalledTimes(2));
  await screen.findByText('palette');
});
