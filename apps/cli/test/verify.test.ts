import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('verify', () => {
  it('reads every checkpoint of sound stores and prints the counts', async () => {
    const place = workplace();
    const [langgraph, kaizen] = [place.langgraph(), place.kaizen()];
    const { items, damaged } = (await place.json('verify', langgraph, kaizen)) as {
      items: { checkpoints: number; read: number; damaged: number; integrity?: string[] }[];
      damaged: number;
    };
    expect(items.map(({ checkpoints, integrity }) => [checkpoints, integrity])).toEqual([
      [477, ['ok']],
      [13, undefined],
    ]);
    expect(damaged).toBe(0);
    const told = await place.run('verify');
    expect(told).toMatchObject({ code: 0, err: '' });
    expect(told.out).toContain('No damage found.');
    expect(place.hasState()).toBe(false);
  });

  it('says that it found no damage only of what could be read', async () => {
    const place = workplace();
    const done = await place.run('verify', place.kaizen('locked', 'enc'), place.kaizen());
    expect(done.code).toBe(0);
    expect(done.out).toContain('No damage found in the checkpoints that could be read.');
  });

  it('names what is damaged and ends with an exit code', async () => {
    const place = workplace();
    const kaizen = place.kaizen();
    const name = readdirSync(kaizen).find((file) => file.endsWith('.jsonl')) ?? '';
    writeFileSync(`${kaizen}/${name}`, readFileSync(`${kaizen}/${name}`, 'utf8').slice(0, 40));
    const done = await place.run('verify', kaizen, 'missing.db');
    expect(done.code).toBe(ERROR_CODES.unreadable.exit);
    expect(done.out).toContain(name.replace('.jsonl', ''));
    expect(done.out).toMatch(/not found: .*missing\.db/);
    expect(done.err).toContain('1 damaged part found');
    const json = await place.run('verify', kaizen, '--json');
    expect(JSON.parse(json.out)).toMatchObject({ damaged: 1, items: [{ damaged: 1, read: 12 }] });
  });

  it('does not call an encrypted store damaged', async () => {
    const place = workplace();
    const locked = place.kaizen('locked', 'enc');
    const done = await place.run('verify', locked);
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain('locked');
  });
});
