import { numberIn, rowsOf } from './format-1.ts';

/** What is damaged in a file of ours. */
export async function damageIn(path: string): Promise<string[]> {
  const [integrity] = rowsOf(path, 'PRAGMA integrity_check');
  const missing = numberIn(path, 'SELECT count(*) FROM checkpoints WHERE root NOT IN (SELECT id FROM nodes)');
  return [
    ...(integrity?.['integrity_check'] === 'ok' ? [] : ['damaged']),
    ...(missing === 0 ? [] : [`${missing} roots are missing`]),
  ];
}
