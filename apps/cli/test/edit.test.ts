import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page, PlanView, Receipt } from '@checkpoint-inspector/core';
import { workplace } from './run.ts';

describe('edit on real stores', () => {
  const place = workplace();
  const langgraph = place.langgraph();
  const kaizen = place.kaizen();
  const json = async <T>(...args: string[]) => (await place.json(...args)) as T;
  const rowsOf = async (task: string, store: string) =>
    (await json<Page<CheckpointMeta>>('list', task, '-s', store)).items;
  const snapshot = () =>
    readdirSync(kaizen)
      .toSorted()
      .map((name) => [name, readFileSync(`${kaizen}/${name}`, 'base64')]);

  it('changes single values, shows the plan and the difference, and undoes it', async () => {
    const before = snapshot();
    const id = (await rowsOf('research_agent', kaizen)).at(-1)?.id ?? '';
    const set = ['--set', '$.step_number=77', '--set', '$.memory_contents.cache=false'];
    const dry = await place.run('edit', id, ...set, '--dry-run', '-s', kaizen);
    expect(dry.out).toContain('edit in kaizen, task research_agent');
    expect(dry.out).toContain('the edit: +1 -0 ~1 ↕0');
    expect(dry.out).toMatch(/~ \$\.step_number {2}\d+ → 77/);
    expect(snapshot()).toEqual(before);

    const receipt = await json<Receipt>(
      'edit',
      id,
      ...set,
      '--reason',
      'stale',
      '--author',
      'Ann',
      '--yes',
      '-s',
      kaizen,
    );
    expect(receipt).toMatchObject({ proof: 'same', request: { kind: 'edit', reason: 'stale', author: 'Ann' } });
    expect((await rowsOf('research_agent', kaizen))[0]).toMatchObject({ parentId: id, stepIndex: 77, isLatest: true });
    const original = before.find(([name]) => name === `${id}.jsonl`);
    expect(snapshot()).toContainEqual(original);
    await json<Receipt>('undo', '--yes', receipt.id, '-s', kaizen);
    expect(snapshot()).toEqual(before);
  });

  it('saves a file as it is, and warns when its shape is another', async () => {
    const id = (await rowsOf('fork-demo', langgraph)).at(-2)?.id ?? '';
    const text = (await place.run('show', id, '--task', 'fork-demo', '-s', langgraph)).out;
    const state = JSON.parse(text) as Record<string, unknown>;
    const [key = ''] = Object.keys(state);
    const { [key]: _gone, ...rest } = state;
    const file = place.path('state.json');
    writeFileSync(file, `${JSON.stringify(rest, undefined, 2)}\n`);
    const common = ['edit', id, '--task', 'fork-demo', '--file', file, '-s', langgraph];
    expect((await place.run(...common, '--dry-run')).out).toContain('is missing; every earlier state had it');
    const receipt = await json<Receipt>(...common, '--yes');
    const shown = (await place.run('show', receipt.written[0]?.id ?? '', '--task', 'fork-demo', '-s', langgraph)).out;
    expect(shown).toBe(readFileSync(file, 'utf8'));
    expect((await json<PlanView>('undo', receipt.id, '--dry-run', '-s', langgraph)).removes.count).toBe(1);
  });

  it('says where a text is not JSON, and what an option should look like; nothing is written', async () => {
    const before = snapshot();
    const id = (await rowsOf('research_agent', kaizen))[0]?.id ?? '';
    const file = place.path('broken.json');
    writeFileSync(file, '{\n  "a": 1,\n  "b": tru\n}');
    const said = (...args: string[]) => place.run('edit', id, ...args, '--yes', '-s', kaizen);
    expect(await said('--file', file)).toMatchObject({ code: 2, err: expect.stringContaining('line 3, column 8') });
    expect((await said('--set', '$.status=failed')).err).toContain(`--set '$.name="value"'`);
    expect((await said('--set', 'status')).err).toContain('<path>=<json>');
    expect((await said('--set', '$.no.such=1')).err).toContain('no value at $.no.such');
    expect((await said()).err).toContain('use --file or --set');
    expect((await said('--file', place.path('none.json'))).err).toContain('none.json" does not exist');
    writeFileSync(file, Buffer.from([0x22, 0xff, 0x22]));
    expect((await said('--file', file)).err).toContain("isn't UTF-8 text");
    expect(snapshot()).toEqual(before);
  });
});
