import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { failedCheck } from './failed-check.ts';

const found = (state: unknown) => failedCheck(JSON.stringify(state));

describe('a check that failed', () => {
  it.each([
    [{ checks: [{ name: 'total', passed: false }] }, '$.checks[0]', 'Check total failed'],
    [{ a: [{ Validations: { schema: { ok: false } } }] }, '$.a[0].Validations.schema', 'Validation schema failed'],
    [{ assertions: [{ success: true }, { success: false }] }, '$.assertions[1]', 'Assertion failed'],
    [{ tests: { unit: { result: 'FAIL', reason: 'no rows' } } }, '$.tests.unit', 'Test unit failed: no rows'],
    [{ quality_checks: [{ id: 'c1', status: 'failed' }] }, '$.quality_checks[0]', 'Check c1 failed'],
    [{ qualityChecks: [{ rule: 'sum', outcome: 'failure' }] }, '$.qualityChecks[0]', 'Check sum failed'],
  ])('is an entry of %j', (state, path, message) => {
    expect(found(state)).toEqual({ path, message });
  });

  it('is told with its figures as stored', () => {
    const state =
      '{"checks":[{"name":"total","passed":false,"message":"sum differs","expected":122.10,"actual":"350"}]}';
    expect(failedCheck(state)?.message).toBe('Check total failed: sum differs (expected 122.10, actual "350")');
  });

  it('is the first of them in the order of the state', () => {
    const state = { first: { tests: [{ name: 'a', ok: false }] }, checks: [{ name: 'b', ok: false }] };
    expect(found(state)?.path).toBe('$.first.tests[0]');
  });

  it('is found though an escape spells its name', () => {
    expect(failedCheck(String.raw`{"\u0063hecks":[{"passed":false}]}`)?.path).toBe('$.checks[0]');
  });
});

describe('none', () => {
  it.each([
    ['a check that passed', { checks: [{ passed: true, status: 'ok' }] }],
    [
      'a check that passed when it was run again',
      {
        checks: [
          { name: 'a', ok: false },
          { name: 'a', ok: true },
        ],
      },
    ],
    ['a verdict that is no boolean', { checks: [{ passed: 'false', ok: 0, success: null }] }],
    ['a verdict of its own, not of an entry', { checks: { passed: false }, passed: false, success: false }],
    ['names that only end alike', { latests: [{ ok: false }], contests: [{ ok: false }], check: [{ ok: false }] }],
    ['names in which the word is not the last', { checks_config: { a: { ok: false } }, testsRun: [{ ok: false }] }],
    // Mastra, `run-refused`: a person refused a payment, and the run completed as designed.
    ['a refusal', { context: { pay: { status: 'success', output: { status: 'failed', reason: 'refused by Eve' } } } }],
    ['a refusal by an approver', { approvals: [{ by: 'Eve', approved: false }], result: { ok: false } }],
    // VoltAgent, `681dc3c0`: a replay that worked keeps the message of the run that failed.
    ['an error of an older run', { status: 'completed', metadata: { errorMessage: 'boom', replayedFrom: 'x' } }],
    // Gemini CLI: a missing file was answered, and the work went on.
    ['a tool error that was answered', { toolCalls: [{ status: 'error', result: 'Not found.' }], error: 'error' }],
    ['what a message quotes', { messages: [{ role: 'tool', content: 'x', data: { tests: [{ passed: false }] } }] }],
    ['what a text holds', { report: '{"checks":[{"passed":false}]}' }],
  ])('is %s', (_, state) => {
    expect(found(state)).toBeUndefined();
  });
});

it('takes time in proportion to the state, wide and deep', () => {
  const wide = (n: number): string => `{"checks":[${'{"name":"a","passed":true},'.repeat(n)}{}]}`;
  const deep = (n: number): string => `${'{"checks":['.repeat(n)}{"ok":true}${']}'.repeat(n)}`;
  for (const make of [wide, deep]) {
    expect(growth((n) => failedCheck(make(n)), 8_000)).toBeLessThan(LINEAR);
  }
});
