// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { setRevealed } from '../../lib/masking.ts';
import { ToastRegion } from '../../components/ToastRegion.tsx';
import { useMessage } from '../../components/toast.ts';
import { Markdown } from './Markdown.tsx';

function Messages() {
  const message = useMessage();
  return message && <ToastRegion message={message} />;
}

afterEach(() => {
  cleanup();
  setRevealed(false);
});

const html = (text: string): string => render(<Markdown text={text} />).container.innerHTML;

it('renders what models write', () => {
  const drawn = html('# Plan\n\n1. **fetch**\n2. `rank`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet n = 1;\n```');
  expect(drawn).toContain('<strong>fetch</strong>');
  expect(drawn).toContain('<td>2</td>');
  expect(drawn).not.toMatch(/<h\d/);
  expect(screen.getByLabelText('Code in js').textContent).toBe('let n = 1;');
  expect(screen.getByRole('button', { name: 'Copy code' })).toBeTruthy();
});

it('takes nothing as HTML, fetches no image and leads nowhere', () => {
  const { container } = render(
    <Markdown text="Look: <img src=x onerror=x()> ![cat](https://pwned.example/x.png) [bank](https://pwned.example) [y](javascript:x())" />,
  );
  expect(container.querySelectorAll('script, img, a, iframe, [href], [src], [onerror]')).toHaveLength(0);
  expect(container.textContent).toContain('<img src=x onerror=x()>');
  expect(screen.getByText(/cat/).textContent).toContain('not loaded');
  // Where a link leads is written beside it, whatever its text claims.
  expect(container.textContent).toContain('(https://pwned.example)');
  expect(screen.getAllByRole('button', { name: 'Copy link' })).toHaveLength(1);
});

it('masks a secret that only its marks spell', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  for (const spelled of [
    secret,
    secret.replace('_', '\\_'),
    secret.replace('g', '&#103;'),
    `${secret.slice(0, 12)}**${secret.slice(12, 20)}**${secret.slice(20)}`,
    `see [${secret.slice(0, 20)}](https://x.example)${secret.slice(20)}`,
    `\`${secret}\``,
  ]) {
    const { container, unmount } = render(<Markdown text={spelled} />);
    expect(container.textContent, spelled).not.toContain(secret);
    expect(container.textContent, spelled).not.toContain(secret.slice(8));
    unmount();
  }
  setRevealed(true);
  expect(render(<Markdown text={secret} />).container.textContent).toContain(secret);
});

it('says that a copied block of code has its secrets masked', async () => {
  const copied: string[] = [];
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void copied.push(text) },
  });
  render(<Messages />);
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  render(<Markdown text={`\`\`\`sh\ncurl -u ${secret} x\n\`\`\``} />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy code' }));
  expect(await screen.findByText('The code, secrets masked, is on the clipboard.')).toBeTruthy();
  expect(copied).toEqual(['curl -u ghp_•••• x']);
});
