import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const REPORT = 'node_modules/.cache/test-results.json';
const SUMMARIES = '.turbo/runs';

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
  rmSync(join(root, SUMMARIES), { recursive: true, force: true });
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

/** The first line of a message, without colours. */
// oxlint-disable-next-line no-control-regex -- colours begin with one
const firstLine = (text = '') => text.replaceAll(/\u001B\[[0-9;]*m/g, '').split('\n', 1)[0] ?? '';

/** Of Vitest: a file that doesn't load has no tests that could fail. */
function failedInFile({ name, status, message, assertionResults = [] }) {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0 && status === 'failed') return [`${name}: ${firstLine(message)}`];
  return tests.map(({ fullName, failureMessages = [] }) => `${name} › ${fullName}: ${firstLine(failureMessages[0])}`);
}

/** Of Playwright. */
function failedInSuite({ suites = [], specs = [] }) {
  const own = specs
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) => {
      const error = tests?.flatMap(({ results }) => results).find((result) => result.error)?.error;
      return `${file} › ${title}: ${firstLine(error?.message)}`;
    });
  return [...own, ...suites.flatMap(failedInSuite)];
}

/** Every test that failed, with the first line of the reason: a log is often cut, and its end is what is left. */
export function failuresIn(root) {
  return reportPaths(root)
    .filter((path) => existsSync(path))
    .flatMap((path) => {
      const { testResults = [], suites = [] } = JSON.parse(readFileSync(path, 'utf8'));
      return [...testResults.flatMap(failedInFile), ...suites.flatMap(failedInSuite)];
    })
    .map((line) => line.replaceAll(`${root}/`, ''));
}

/** The tasks of a round of turbo that failed, by its newest summary. */
export function failedTasks(root) {
  const folder = join(root, SUMMARIES);
  const newest = existsSync(folder) ? readdirSync(folder).toSorted().at(-1) : undefined;
  if (newest === undefined) return [];
  const { tasks = [] } = JSON.parse(readFileSync(join(folder, newest), 'utf8'));
  return tasks.filter(({ execution }) => (execution?.exitCode ?? 0) !== 0).map(({ taskId }) => taskId);
}

/** How many tests were skipped for this reason, which their names give. */
export function skippedFor(root, reason) {
  const paths = reportPaths(root).filter((path) => existsSync(path));
  const files = paths.flatMap((path) => JSON.parse(readFileSync(path, 'utf8')).testResults ?? []);
  const tests = files.flatMap((file) => file.assertionResults);
  return tests.filter(({ status, fullName }) => status === 'skipped' && fullName.includes(reason)).length;
}
