import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { HourBars } from './HourBars.tsx';

it('shows the newest hour however narrow it is drawn', () => {
  const drawn = renderToStaticMarkup(<HourBars hours={[...Array.from({ length: 23 }, () => 0), 3]} />);
  expect(drawn).toContain('aria-label="3 failures in the last 24 hours"');
  const [, width] = /viewBox="0 0 (\d+) 19"/.exec(drawn) ?? [];
  const [, x] = /<rect x="(\d+)"/.exec(drawn) ?? [];
  expect(Number(x)).toBeLessThan(Number(width));
  expect(drawn).toContain('preserveAspectRatio="none"');
});
