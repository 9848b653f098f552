/** The password of a database: nowhere but on the way to it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { openJournal } from '@checkpoint-inspector/changes';
import { createInspector, defaultRegistry, overJournal, storesOver } from '@checkpoint-inspector/inspector';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { openPostgresStore } from '@checkpoint-inspector/stores/postgres';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createApp } from '../src/app.ts';
import { HOST, status, TOKEN } from '../src/testing/app.ts';

const SECRET = 'p4ss/w@rd%20of the team';
const SPELLINGS = [SECRET, encodeURIComponent(SECRET), encodeURI(SECRET), Buffer.from(SECRET).toString('base64')];

describeWithPostgres('the password of our own store in PostgreSQL', () => {
  const role = `inspector_secret_${process.pid}`;
  const schema = 'team';
  let db: TestPostgres;
  let url: string;
  beforeAll(async () => {
    db = await postgresForTests();
    await db.run(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'; CREATE SCHEMA ${schema} AUTHORIZATION ${role}`);
    const address = new URL(db.url);
    [address.username, address.password] = [role, encodeURIComponent(SECRET)];
    url = address.href;
  });
  afterAll(async () => {
    await db.run(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await db.close();
  });

  it('is in no answer, error, identity, plan, receipt, journal or output', async () => {
    const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    const seen: unknown[] = [];
    const told = async (work: Promise<unknown>) => void seen.push(await work.catch((error: unknown) => error));
    const folder = mkdtempSync(join(tmpdir(), 'postgres-secrets-'));
    const journal = openJournal({ folder });
    const inspector = createInspector({
      ...overJournal(journal, { stores: storesOver(journal, { registry: defaultRegistry() }), readOnly: false }),
      readOnly: false,
    });
    const app = createApp({ inspector, status, guards: { token: TOKEN, hosts: [HOST] } });
    const ask = async (path: string, body?: object): Promise<string> => {
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const init = body && { method: 'POST', body: JSON.stringify(body) };
      const text = await (await app.request(`http://${HOST}/api/${path}`, { ...init, headers })).text();
      seen.push(text);
      return text;
    };

    const agent = await openPostgresStore({ url, schema });
    inspector.stores.onEvent((event) => seen.push(event));
    seen.push(agent.info, inspect(agent, { depth: 9, showHidden: true }));
    for (let n = 0; n < 3; n++) await agent.save({ task: 'run', id: `c${n}`, value: { n } });
    await ask('stores', { target: `${url}?schema=${schema}` });
    const [{ id: store }] = JSON.parse(await ask('stores')).items;
    for (const path of ['tasks', `stores/${store}/checkpoints/c1?task=run`, 'storage', 'metrics']) await ask(path);
    const request = { kind: 'restore', ref: { task: 'run', id: 'c1' } };
    seen.push(await agent.plan({ kind: 'restore', ref: { task: 'run', id: 'c1' } }));
    const { id: plan } = JSON.parse(await ask('plans', { store, request }));
    const { proof } = JSON.parse(await ask(`plans/${plan}/apply`, {}));
    expect(proof).toBe('same');

    const elsewhere = url.replace(/:\d+\//, ':1/');
    for (const target of [
      elsewhere,
      url.replace(/\/[^/]*$/, '/nowhere'),
      `${url}?sslmode=require`,
      `${url}?schema=no`,
    ]) {
      await told(openPostgresStore({ url: target, schema }));
      await ask('stores', { target });
    }
    await told(agent.save({ task: 'run', id: 'c\0', value: 1 }));
    await told(agent.save({ task: 'run', id: 'c1', value: 1 }, { ifExists: 'refuse' }));
    await db.run(`REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role}`);
    await told(agent.save({ task: 'run', id: 'c9', value: 1 }));
    await told(agent.state({ task: 'run', id: 'c1' }));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) seen.push(readFileSync(join(parentPath, name), 'latin1'));
    await agent.close();
    await inspector.close();
    journal.close();
    rmSync(folder, { recursive: true });

    expect(files.length).toBeGreaterThan(0);
    const all = [...seen, ...written.map(({ mock }) => mock.calls)].map((one) =>
      typeof one === 'string' ? one : inspect(one, { depth: 9, showHidden: true, maxStringLength: null }),
    );
    for (const spy of written) spy.mockRestore();
    expect(all.filter((text) => text.includes('InspectorError')).length).toBeGreaterThan(4);
    for (const spelling of SPELLINGS) expect(all.filter((text) => text.includes(spelling))).toEqual([]);
  }, 60_000);
});
