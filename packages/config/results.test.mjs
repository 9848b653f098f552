import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clearResults, reportPaths, skippedFor, sumResults } from './results.mjs';

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
