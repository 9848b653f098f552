/** Our own store in PostgreSQL, from the command line. */
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workplace } from './run.ts';

describeWithPostgres('a schema of our own in PostgreSQL', () => {
  const place = workplace();
  let db: TestPostgres;
  let url: string;
  beforeAll(async () => {
    db = await postgresForTests();
    url = `${db.url}?schema=agents`;
  });
  afterAll(() => db.close());

  it('is copied to, listed, compared, changed, undone and verified by its address', async () => {
    expect(await place.json('copy', place.kaizen(), url)).toMatchObject({ copied: 13, verified: 13 });
    const at = ['-s', `team=${url}`];
    const { items } = (await place.json('list', 'research_agent', ...at)) as { items: { id: string; store: string }[] };
    expect(items[0]).toMatchObject({ store: 'team' });
    const stored = () => db.run('SELECT seq, id, state_hash FROM agents.checkpoints ORDER BY seq');
    const before = await stored();
    const diff = await place.json('diff', 'research_agent/latest~1', 'research_agent/latest', ...at);
    expect(diff).toMatchObject({ summary: { added: expect.any(Number) } });
    const restored = await place.json('restore', items.at(-1)?.id ?? '', '--yes', ...at);
    expect(restored).toMatchObject({ proof: 'same' });
    expect(await stored()).toHaveLength(before.length + 1);
    expect(await place.json('undo', '--yes', ...at)).toMatchObject({ proof: 'same' });
    expect(await stored()).toEqual(before);
    expect(await place.json('verify', url)).toMatchObject({ damaged: 0, items: [{ checkpoints: 13, read: 13 }] });
    await db.run("UPDATE agents.nodes SET body = '1' WHERE id = (SELECT min(root) FROM agents.checkpoints)");
    const done = await place.run('verify', url);
    expect(done.code).toBe(ERROR_CODES.unreadable.exit);
    expect(done.out + done.err).not.toContain(new URL(url).password);
  });
});
