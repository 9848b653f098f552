import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locksOn } from '@checkpoint-inspector/io/testing';
import { STATE_WORKER, bundleEntry } from '@checkpoint-inspector/inspector/testing/bundle';
import { jsonBody } from '../src/testing/app.ts';
import { BIG, openAgent, SYSTEMS, TASK } from '@checkpoint-inspector/inspector/testing/agents';
import { inspectorOn } from './support/inspector.ts';

const folder = mkdtempSync(join(tmpdir(), 'locks-'));
let worker: URL;
beforeAll(async () => void (worker = await bundleEntry(STATE_WORKER, 'locks-worker')));
afterAll(() => {
  rmSync(worker);
  rmSync(folder, { recursive: true, force: true });
});

/** Every reading route of the OpenAPI document for each checkpoint, and the routes that read with a body. */
function addresses(document: string, store: string, ids: readonly string[]): string[] {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, unknown>> };
  const routes = Object.entries(paths).filter(([path, methods]) => 'get' in methods && !path.endsWith('/events'));
  const queries: readonly (readonly [RegExp, string])[] = [
    [/\/history$/, '?path=$'],
    [/\/search$/, '?q=x'],
    [/\/diff$/, `?a=${store}/${TASK}/${ids[1]}&b=${store}/${TASK}/${ids[2]}`],
    [/\/find$/, '?text=n'],
    [/\/value$/, '?path=$'],
    [/\/blob$/, '?path=$'],
    [/\/state$/, '?path=$'],
  ];
  const all = routes.flatMap(([path]) =>
    ids.flatMap((id) => {
      const filled = `/api${path}`
        .replace('{store}', store)
        .replace('{task}', TASK)
        .replace(/\{[^}]+\}/g, id);
      const query = queries.find(([pattern]) => pattern.test(path))?.[1];
      return query === undefined ? [filled] : [filled, filled + query];
    }),
  );
  return [...new Set(all)];
}

// Elsewhere the locks of a process are shown nowhere.
describe.skipIf(!existsSync('/proc/locks'))('no route that reads drops a lock on an open database', () => {
  it.each(SYSTEMS)('%s', async (system) => {
    const path = join(folder, `${system}.db`);
    const agent = await openAgent(system, path);
    const ids = [
      await agent.save(1, 'small'),
      await agent.save(2, 'x'.repeat(BIG)),
      await agent.save(3, 'x'.repeat(BIG)),
    ];
    const server = await inspectorOn(path, worker);
    const before = locksOn(path);
    expect(before).toBeGreaterThan(0);
    const fallen: string[] = [];
    const statuses = new Map<string, number>();
    const note = (what: string, code: number) => {
      statuses.set(what, code);
      if (locksOn(path) < before) fallen.push(what);
    };
    const { text } = await server.ask('/api/openapi.json');
    for (const address of addresses(text, server.store, ids)) note(address, (await server.ask(address)).status);
    for (const id of ids) {
      const ref = { task: TASK, id };
      for (const request of [
        { kind: 'restore', ref },
        { kind: 'delete', refs: [ref] },
      ])
        note(
          `plan ${request.kind} ${id}`,
          (await server.ask('/api/plans', jsonBody({ store: server.store, request }))).status,
        );
    }
    for (const target of [folder, path])
      note(`open ${target}`, (await server.ask('/api/stores', jsonBody({ target }))).status);
    expect(fallen).toEqual([]);
    const answered = [...statuses].filter(([, code]) => code < 300).map(([what]) => what);
    for (const part of [
      `${ids[1]}/state`,
      `${ids[1]}/raw`,
      'diff?',
      '/history?',
      '/tree',
      '/storage',
      'plan restore',
      'open',
    ])
      expect(
        answered.filter((what) => what.includes(part)),
        part,
      ).not.toEqual([]);
    expect([...statuses].filter(([, code]) => code >= 500)).toEqual([]);
    await server.close();
    await agent.close();
  });
});
