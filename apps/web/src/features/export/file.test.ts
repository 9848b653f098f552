import { expect, it } from 'vitest';
import { fileName } from './ExportDialog.tsx';

it('names a file after its task, whatever the task is called', () => {
  expect(fileName('competitor-revenue', 'html')).toBe('competitor-revenue.html');
  expect(fileName('../a b/ü', 'bundle')).toBe('a-b.json');
  expect(fileName('', 'html')).toBe('task.html');
  expect(fileName('x'.repeat(300), 'html')).toHaveLength(85);
});
