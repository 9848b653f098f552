import { expect, it } from 'vitest';
import { clockRange } from '../../lib/format.ts';
import { timesOf } from './Controls.tsx';

it('says the day once where it is the same', () => {
  expect(clockRange(['2026-01-01 14:17:02 UTC', '2026-01-01 14:31:44 UTC'])).toBe(
    '2026-01-01 14:17:02 to 14:31:44 UTC',
  );
  expect(clockRange(['2026-01-01 23:59:02 UTC', '2026-01-02 00:00:44 UTC'])).toBe(
    '2026-01-01 23:59:02 UTC to 2026-01-02 00:00:44 UTC',
  );
  expect(clockRange(['2026-01-01 14:17:02 UTC'])).toBe('2026-01-01 14:17:02 UTC');
  expect(clockRange([])).toBe('');
});

it('names the earlier of two times first', () => {
  const [later, earlier] = ['2026-01-01T07:08:47Z', '2026-01-01T06:59:47Z'].map((createdAt) => ({ createdAt }));
  expect(clockRange(timesOf([later, earlier]))).toBe('2026-01-01 06:59:47 to 07:08:47 UTC');
  expect(timesOf([undefined, earlier])).toEqual(['2026-01-01 06:59:47 UTC']);
});
