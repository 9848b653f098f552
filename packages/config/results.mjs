import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const REPORT = 'node_modules/.cache/test-results.json';

/** Every package that can contain a test report. */
export function reportPaths(root) {
  const packages = ['packages', 'apps'].flatMap((top) =>
    readdirSync(join(root, top)).map((name) => join(root, top, name)),
  );
  return [...packages, join(root, 'e2e')].map((folder) => join(folder, REPORT));
}

/** A report left from before must not be counted again. */
export function clearResults(root) {
  for (const path of reportPaths(root)) rmSync(path, { force: true });
}

function counts(report) {
  if ('numPassedTests' in report) return { passed: report.numPassedTests, failed: report.numFailedTests };
  const { expected = 0, unexpected = 0, flaky = 0 } = report.stats ?? {};
  return { passed: expected + flaky, failed: unexpected };
}

/** All tests of one round: Vitest's and Playwright's reports added up. */
export function sumResults(root) {
  const sum = { passed: 0, failed: 0 };
  for (const path of reportPaths(root).filter((path) => existsSync(path))) {
    const { passed, failed } = counts(JSON.parse(readFileSync(path, 'utf8')));
    sum.passed += passed;
    sum.failed += failed;
  }
  return sum;
}

/** How many tests were skipped for this reason, which their names give. */
export function skippedFor(root, reason) {
  const paths = reportPaths(root).filter((path) => existsSync(path));
  const files = paths.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).testResults ?? []);
  const tests = files.flatMap((file) => file.assertionResults);
  return tests.filter(({ status, fullName }) => status === 'skipped' && fullName.includes(reason)).length;
}
