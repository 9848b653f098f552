import { openSqlite } from '@checkpoint-inspector/io';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

/** A database of a home-made agent. */
function agentDatabase(path: string): void {
  const database = openSqlite(path, { readOnly: false, create: true });
  database.exec('CREATE TABLE memory (pk INTEGER PRIMARY KEY, run_id TEXT, node TEXT, payload TEXT, created_at TEXT)');
  const put = database.prepare('INSERT INTO memory VALUES (?, ?, ?, ?, ?)');
  for (const [pk, node] of ['plan', 'fetch', 'rank'].entries())
    put.run(pk + 1, 'alpha', node, `{"total": ${pk}.50}`, `2026-11-20T10:0${pk}:00Z`);
  database.close();
}

const ids = (answer: unknown): readonly string[] =>
  JSON.parse(JSON.stringify(answer)).items.map(({ id }: { readonly id: string }) => id);

describe('a store of a format that nobody knows', () => {
  it('opens by the description that is proposed, and is changed once it says how a copy goes in', async () => {
    const place = workplace();
    const [path, description] = [place.path('agent.db'), place.path('checkpoint-inspector.yaml')];
    agentDatabase(path);
    expect((await place.run('tasks', '-s', path)).code).toBe(3);
    const proposed = await place.run('map', path);
    expect(proposed.out).toContain('table: memory');
    expect(proposed.out).toMatch(/alpha\s+3/);
    expect((await place.run('map', path, '--write')).code).toBe(0);
    expect((await place.run('map', path, '--write')).code).toBe(2);
    expect(ids(await place.json('list', 'alpha', '-s', path))).toEqual(['3', '2', '1']);
    const refused = await place.run('restore', 'alpha/1', '--yes', '-s', path);
    expect(refused.err).toContain('`copy`');
    const before = readFileSync(path);
    writeFileSync(description, `${readFileSync(description, 'utf8')}copy: next\n`);
    expect((await place.run('restore', 'alpha/1', '--yes', '-s', path)).code).toBe(0);
    expect(ids(await place.json('list', 'alpha', '-s', path))).toEqual(['4', '3', '2', '1']);
    expect((await place.run('show', 'alpha/4', '-s', path)).out.trim()).toBe('{"total": 0.50}');
    expect((await place.run('undo', '--yes', '-s', path)).code).toBe(0);
    expect(ids(await place.json('list', 'alpha', '-s', path))).toEqual(['3', '2', '1']);
    expect(readFileSync(path).length).toBe(before.length);
  });

  it('opens where the program is started, without being named', () => {
    const place = workplace();
    const description = 'files: "*.json"\ntask: $.run\nid: $.id\nstate: $.state\n';
    writeFileSync(place.path('checkpoint-inspector.yaml'), description);
    writeFileSync(place.path('a.json'), '{"run": "alpha", "id": "a1", "state": {"n": 1.0}}');
    expect(place.start('tasks')).toMatchObject({ code: 0, out: expect.stringContaining('alpha') });
    expect(place.start('show', 'alpha/a1').out.trim()).toBe('{"n": 1.0}');
  });

  it('opens by a module that the command line names, and by none that merely lies there', async () => {
    const place = workplace();
    writeFileSync(place.path('notes.mine'), 'mine');
    const core = new URL('../dist/lib/core.js', import.meta.url).href;
    writeFileSync(
      place.path('mine.mjs'),
      `import { MemoryStore, storeId } from ${JSON.stringify(core)};
       export default {
         id: 'mine',
         label: 'Mine',
         detect: async (target) => target.kind === 'path' && target.path.endsWith('.mine') ? { system: 'mine', because: 'its name', confidence: 1 } : undefined,
         async open(target, { label, nameStore }) {
           const store = new MemoryStore({ id: nameStore(label), label });
           await store.save({ task: 'notes', id: 'n1', text: '{"said": "hello"}' });
           return [store];
         },
       };`,
    );
    const shown = await place.run('tasks', '--system', place.path('mine.mjs'), '-s', place.path('notes.mine'));
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining('notes') });
    expect((await place.run('tasks', '-s', place.path('notes.mine'))).code).toBe(3);
    writeFileSync(place.path('wrong.mjs'), 'export default { id: 1 };');
    const wrong = await place.run('tasks', '--system', place.path('wrong.mjs'), '-s', place.path('notes.mine'));
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("isn't a System") });
  });
});
