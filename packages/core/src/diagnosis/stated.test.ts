/** What a state says of a failure: in whose words, and whether it is one of the run or of what the run is about. */
import { describe, expect, it } from 'vitest';
import { conclude } from './diagnose.ts';
import { Examination } from './examination.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { DiagnosedStep } from './types.ts';

const saidBy = (status: DiagnosedStep['status'], last: State, more: readonly State[] = []): string | undefined => {
  const examination = new Examination();
  const states = [
    { n: 1 },
    { n: 2 },
    { n: 3, ...last },
    ...more.map((state, at) => ({ n: at + 4, ...last, ...state })),
  ];
  for (const step of stepsOf(states))
    examination.observe({ ...step, status: step.seq === states.length ? status : 'completed' });
  return conclude(examination, {}).failure?.message;
};
const ofFailed = (last: State): string | undefined => saidBy('failed', last);
const ofCompleted = (last: State): string | undefined => saidBy('completed', last);

describe('an error', () => {
  const MESSAGE = 'the cover image is missing';

  it.each([
    { error: { code: 'E_COVER', message: MESSAGE } },
    { error: { type: 'invalid_request', kind: 'input', detail: MESSAGE } },
    { error: { name: 'CoverError', message: MESSAGE, stack: 'CoverError: at publish (a.js:1)' } },
    { errors: [MESSAGE] },
    { errors: [{ level: 'error', text: MESSAGE }] },
    { messages: [{ role: 'tool', content: JSON.stringify({ error: MESSAGE }) }] },
    { messages: [{ role: 'user', content: [{ type: 'tool_result', is_error: true, content: MESSAGE }] }] },
    { check: { by: 'Layout robot', ok: false }, error: MESSAGE },
  ])('is told by its message: %j', (last) => expect(ofFailed(last)).toBe(MESSAGE));

  it('names the field that it is about', () => {
    expect(ofFailed({ errors: [{ field: 'cover', message: 'is missing' }] })).toBe('cover: is missing');
  });

  it('is not told by the other fields of the whole state', () => {
    expect(ofFailed({ site: 'Cold store 3', incident: { text: 'goods were spoiled' }, status: 'error' })).toBe('error');
    expect(ofFailed({ locale: 'de', status: 'failed', message: MESSAGE })).toBe(MESSAGE);
  });

  it('is left out where a text only looks like one', () => {
    expect(ofFailed({ messages: [{ role: 'tool', content: String.raw`{"error":"a\x"}` }] })).toBeUndefined();
  });
});

describe('a check', () => {
  it('is named before its words, and its figures come after them', () => {
    const checks = [
      { name: 'format', passed: true },
      { name: 'net against price list', passed: false, expected: 4611.2, actual: 4323.97 },
    ];
    expect(ofCompleted({ eval: { passed: false, checks } })).toBe(
      'net against price list: expected 4611.2, actual 4323.97',
    );
    const counted = [{ name: 'row count equals manifest', passed: false, detail: 'expected 116121 rows, got 97361' }];
    expect(ofCompleted({ checks: counted })).toBe('row count equals manifest: expected 116121 rows, got 97361');
  });

  it('is told by what is in it where it has no words of its own', () => {
    expect(ofCompleted({ qa: { passed: false, issues: [{ rule: 'untranslated', count: 1 }] } })).toBe(
      'qa: untranslated',
    );
    expect(ofCompleted({ verification: { passed: false, score: 0.9 } })).toBe('verification.passed is false');
  });
});

describe('nothing failed where the work of a run has a negative result', () => {
  it.each([
    { grade: { student: 'Ana', score: 41, passed: false } },
    { iban: { value: 'DE00 1234', valid: false } },
    { domain: { name: 'cool.example', ok: false } },
    { loan: { approved: false, status: 'rejected', reason: 'the score is below 600' } },
    { order: { no: 7, state: 'failed', reason: 'the card was declined' } },
    { monitor: { service: 'mail', status: 'error', since: '02:10' } },
    { scan: { findings: [{ id: 'CVE-1', severity: 'error', message: 'an old version of openssl' }] } },
    {
      sent: [
        { to: 'a@x', success: true },
        { to: 'b@x', success: false, error: 'the mailbox is full' },
      ],
    },
    { incident: { error: 'a timeout in the gateway', resolved: true } },
    { error: { message: 'a timeout in the gateway', resolved: true } },
    { verdict: { approved: false, event: 'changes are requested' } },
    {
      trials: [
        { rate: 0.1, status: 'ok' },
        { rate: 0.5, status: 'failed', error: 'the loss is no number' },
      ],
    },
  ])('%j', (last) => expect(ofCompleted(last)).toBeUndefined());
});

describe('a failure of a run that completed', () => {
  it.each([
    { result: { ok: false, message: 'three rows were lost on the way' } },
    { error: 'three rows were lost on the way' },
    { phase_results: { load: { status: 'failed', errors: ['three rows were lost on the way'] } } },
    { metadata: { error: 'three rows were lost on the way' } },
    { gates: [{ name: 'acceptance test failed', status: 'failed', detail: 'three rows were lost on the way' }] },
    { outcome: 'failed', message: 'three rows were lost on the way' },
  ])('is one of what came of it: %j', (last) => {
    expect(ofCompleted(last)).toContain('three rows were lost on the way');
  });

  it('is over where the run went on for some steps after its last error', () => {
    const last = { last_error: 'three rows were lost on the way' };
    expect(ofCompleted(last)).toBe(last.last_error);
    expect(saidBy('completed', last, [{}, {}])).toBeUndefined();
  });
});
