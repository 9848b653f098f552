/** An address with a password, through the whole server. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openJournal } from '@checkpoint-inspector/changes';
import { createInspector, defaultRegistry, overJournal, storesOver } from '@checkpoint-inspector/inspector';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { createApp } from '../src/app.ts';
import { HOST, status, TOKEN } from '../src/testing/app.ts';

const DUMP = resolve(import.meta.dirname, '../../../packages/systems/src/langgraph/fixtures/js-postgres.sql.gz');
const SECRET = 'pässw0rd/of the team';

describeWithPostgres('the password of a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'api-postgres-'));
  const role = `inspector_team_${process.pid}`;
  let db: TestPostgres;
  let url: string;
  beforeAll(async () => {
    db = await postgresForTests();
    await db.load(gunzipSync(readFileSync(DUMP)).toString());
    await db.run(
      `CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
    const address = new URL(db.url);
    address.username = role;
    address.password = encodeURIComponent(SECRET);
    url = address.href;
  });
  afterAll(async () => {
    await db.run(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}; DROP ROLE ${role}`);
    await db.close();
    rmSync(folder, { recursive: true });
  });

  it('is in no answer, no error and no file that is kept', async () => {
    const journal = openJournal({ folder });
    const over = overJournal(journal, {
      stores: storesOver(journal, { registry: defaultRegistry() }),
      readOnly: false,
    });
    const inspector = createInspector({ ...over, readOnly: false });
    const app = createApp({ inspector, status, guards: { token: TOKEN, hosts: [HOST] } });
    const said: string[] = [];
    const ask = async (path: string, body?: object) => {
      const init = body && { method: 'POST', body: JSON.stringify(body) };
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const answer = await app.request(`http://${HOST}/api/${path}`, { ...init, headers });
      said.push(await answer.text(), JSON.stringify([...answer.headers]));
      return { status: answer.status, text: said.at(-2) ?? '' };
    };
    const opened = await ask('stores', { target: url });
    expect([opened.status, opened.text]).toEqual([201, expect.stringContaining('"system":"langgraph"')]);
    const [store] = (JSON.parse((await ask('stores')).text) as { items: { id: string; location: string }[] }).items;
    expect(store?.location).toBe(`postgres://${new URL(url).host}${new URL(url).pathname}?schema=public`);
    const tasks = JSON.parse((await ask('tasks')).text) as { items: { id: string; latestId: string }[] };
    expect(tasks.items.length).toBeGreaterThan(3);
    const [task] = tasks.items;
    const at = `stores/${store?.id}/checkpoints/${task?.latestId}?task=${task?.id}`;
    for (const path of ['storage', 'metrics', 'activity', 'trash', at]) expect((await ask(path)).status).toBe(200);
    const plan = await ask('plans', {
      store: store?.id,
      request: { kind: 'delete', refs: [{ task: task?.id, id: task?.latestId }] },
    });
    expect(plan.status).not.toBe(200);
    for (const wrong of [
      url.replace(encodeURIComponent(SECRET), `no${SECRET}`),
      url.replace(encodeURIComponent(SECRET), encodeURIComponent(`${SECRET}!`)),
      `${url}_nowhere`,
      url.replace(/:\d+\//, ':1/'),
    ])
      expect((await ask('stores', { target: wrong })).status).toBeGreaterThanOrEqual(400);
    await inspector.close();
    journal.close();
    const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile());
    expect(kept.length).toBeGreaterThan(0);
    const written = kept.map((path) => readFileSync(path, 'utf8')).join('\n');
    for (const secret of [SECRET, encodeURIComponent(SECRET), new URL(url).password])
      expect(`${said.join('\n')}\n${written}`).not.toContain(secret);
    expect(written).not.toContain(role);
  });
});
