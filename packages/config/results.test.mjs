import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clearResults, failedTasks, failuresIn, reportPaths, skippedFor, sumResults } from './results.mjs';

const root = mkdtempSync(join(tmpdir(), 'results-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('adds Vitest and Playwright reports, and counts none twice after a clear', () => {
  for (const folder of ['packages/a', 'apps/b', 'e2e']) mkdirSync(join(root, folder), { recursive: true });
  const reports = [
    { numPassedTests: 5, numFailedTests: 1 },
    { numPassedTests: 2, numFailedTests: 0 },
    { stats: { expected: 3, unexpected: 2, flaky: 1 } },
  ];
  reportPaths(root).forEach((path, n) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(reports[n]));
  });
  expect(sumResults(root)).toEqual({ passed: 11, failed: 3 });
  clearResults(root);
  expect(sumResults(root)).toEqual({ passed: 0, failed: 0 });
});

it('counts the tests that were skipped for a reason, and no others', () => {
  mkdirSync(join(root, 'packages/a'), { recursive: true });
  for (const folder of ['apps', 'e2e']) mkdirSync(join(root, folder), { recursive: true });
  const [path] = reportPaths(root);
  mkdirSync(dirname(path), { recursive: true });
  const named = (fullName, status) => ({ fullName, status });
  const tests = [named('a store (No server.) reads', 'skipped'), named('a store (No server.) writes', 'passed')];
  const assertionResults = [...tests, named('another', 'skipped')];
  writeFileSync(path, JSON.stringify({ numPassedTests: 1, numFailedTests: 0, testResults: [{ assertionResults }] }));
  expect(skippedFor(root, 'No server.')).toBe(1);
});

it('names what failed: a test, a file that doesn’t load, a journey, a task of turbo', () => {
  for (const folder of ['packages/a', 'apps/b', 'e2e', '.turbo/runs'])
    mkdirSync(join(root, folder), { recursive: true });
  const failed = { fullName: 'saves twice', status: 'failed', failureMessages: ['expected 1\n    at here'] };
  const passed = { fullName: 'opens', status: 'passed' };
  const files = [
    { name: `${root}/packages/a/one.test.ts`, status: 'failed', assertionResults: [failed, passed] },
    { name: 'two.test.ts', status: 'failed', message: '\u001B[31mno such module\u001B[0m', assertionResults: [] },
  ];
  const journey = {
    file: 'x.spec.ts',
    title: 'a click',
    ok: false,
    tests: [{ results: [{ error: { message: 'no button' } }] }],
  };
  const suites = [{ suites: [{ specs: [journey, { file: 'x.spec.ts', title: 'a key', ok: true }] }] }];
  const reports = [{ testResults: files }, { suites }];
  reportPaths(root)
    .slice(0, 2)
    .forEach((path, n) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, JSON.stringify(reports[n]));
    });
  const task = (taskId, exitCode) => ({ taskId, execution: { exitCode } });
  writeFileSync(join(root, '.turbo/runs/2.json'), JSON.stringify({ tasks: [task('a#test', 1), task('b#test', 0)] }));
  expect(failuresIn(root)).toEqual([
    'packages/a/one.test.ts › saves twice: expected 1',
    'two.test.ts: no such module',
    'x.spec.ts › a click: no button',
  ]);
  expect(failedTasks(root)).toEqual(['a#test']);
  clearResults(root);
  expect(failedTasks(root)).toEqual([]);
});
