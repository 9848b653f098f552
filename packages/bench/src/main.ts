/** `npm run bench`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InspectorError } from '@checkpoint-inspector/core';
import { sqliteVersion } from '@checkpoint-inspector/io';
import { readOptions, type Options } from './options.ts';
import { emptyFolder, runSeed, type SeedRun } from './run.ts';
import { SIDES } from './sides/index.ts';
import { documentOf, type Conditions, type StepsRun } from './table.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** @param home the folder of this package */
export async function main(args: readonly string[], home: URL): Promise<number> {
  try {
    const options = readOptions(args, fileURLToPath(new URL('RESULTS.md', home)));
    const before = loadavg()[0] ?? 0;
    const all: StepsRun[] = [];
    for (const steps of options.steps) all.push(await runSteps(steps, options));
    const conditions = conditionsOf(options, [before, loadavg()[0] ?? 0], home);
    const document = documentOf(all, SIDES, conditions);
    process.stdout.write(options.json ? `${JSON.stringify({ conditions, results: all })}\n` : document);
    if (options.out !== undefined) writeFileSync(options.out, document);
    return 0;
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    say(`error: ${error.message}\n  ${error.remedy}`);
    return error.exitCode;
  }
}

async function runSteps(steps: number, { seeds }: Options): Promise<StepsRun> {
  const runs: SeedRun[] = [];
  for (const seed of seeds) {
    const folder = mkdtempSync(join(tmpdir(), 'checkpoint-bench-'));
    const began = Date.now();
    try {
      const tenth = Math.ceil(steps / 10);
      const onProgress = (done: number) =>
        done % tenth === 0 &&
        process.stderr.write(`\r${steps} steps, seed ${seed}: ${Math.floor((done / steps) * 100)} %`);
      runs.push(await runSeed({ seed, steps, sides: SIDES, folder, onProgress }));
    } finally {
      emptyFolder(folder);
      rmSync(folder, { recursive: true, force: true });
    }
    say(`\r${steps} steps, seed ${seed}: ${((Date.now() - began) / 1_000).toFixed(0)} s`);
  }
  return { steps, runs };
}

function conditionsOf({ seeds }: Options, loads: readonly number[], home: URL): Conditions {
  const manifest = JSON.parse(readFileSync(new URL('package.json', home), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return {
    machine: `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB of memory, ${platform()} ${arch()}`,
    node: process.versions.node,
    sqlite: sqliteVersion(),
    langgraph: manifest.devDependencies['@langchain/langgraph-checkpoint-sqlite'] ?? '',
    seeds,
    loads,
    date: new Date().toISOString().slice(0, 10),
  };
}
