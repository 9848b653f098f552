/** A database that an original writes, changed by our plans while nobody has it open, and gone on with by the original. */
import {
  storeIdFrom,
  type Changeable,
  type CheckpointRef,
  type CheckpointSource,
  type Plan,
  type System,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { executor } from '../src/test-executor.ts';
import { install } from './original.ts';

export interface Answer {
  readonly status: string;
  readonly result?: unknown;
  /** Steps that ran, in their order. */
  readonly ran: readonly string[];
}

interface RowOriginal {
  readonly system: System;
  readonly tables: readonly string[];
  readonly packages: Readonly<Record<string, string>>;
  /** Beside this file; it is given the path of the database and a JSON list of commands, and prints its answers. */
  readonly program: string;
}

export const at = (task: string, index: number): CheckpointRef => ({ task, id: `${task}:${index}` });

/** @example const store = await rowStore({ system, tables, packages, program: 'mastra.program.mjs' }) */
export async function rowStore<Command>({ system, tables, packages, program }: RowOriginal) {
  const original = await install(packages);
  let path = '';
  let source: (CheckpointSource & Changeable) | undefined;
  let count = 0;
  await copyFile(new URL(program, import.meta.url), join(original.folder, program));

  const rows = (): string => {
    const database = openSqlite(path, { readOnly: true });
    const all = tables.flatMap((table) => database.prepare(`SELECT rowid AS r, * FROM ${table} ORDER BY 1`).all());
    database.close();
    return JSON.stringify(all, (_, value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
  };
  const store = {
    get source(): CheckpointSource & Changeable {
      if (source) return source;
      throw new Error('No database is open.');
    },
    /** Has the original do this in a process of its own. */
    async run(...commands: Command[]): Promise<readonly Answer[]> {
      const ran = await original.run('node', [join(original.folder, program), path, JSON.stringify(commands)]);
      if (ran.code !== 0) throw new Error(ran.stderr);
      return JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '') as readonly Answer[];
    },
    /** A new database in which the original has done this. */
    async open(...commands: Command[]): Promise<readonly Answer[]> {
      path = join(original.work, `store-${++count}.db`);
      const answers = await store.run(...commands);
      const options = { label: 'store', location: path, nameStore: (name: string) => storeIdFrom(name) };
      const [found] = await system.open({ kind: 'path', path, is: 'file' }, options);
      source = found as CheckpointSource & Changeable;
      return answers;
    },
    /** Applies a plan, undoes it, compares the rows, applies it again, and has the original continue as the plan says. */
    async change(request: SystemRequest, goOn: (plan: Plan) => Promise<void>): Promise<void> {
      const plan = await store.source.plan(request);
      const { apply, undo } = executor();
      const before = rows();
      await apply(plan);
      const written = plan.view.latestAfter;
      expect((await store.source.latest(plan.view.targetTask ?? plan.view.task)).ref).toEqual(written);
      expect((written && (await store.source.state(written)))?.revision).toBe(plan.view.proofHash);
      await undo();
      expect(rows()).toBe(before);
      await apply(await store.source.plan(request));
      await goOn(plan);
    },
    remove: () => original.remove(),
  };
  return store;
}
