import { describe, expect, it } from 'vitest';
import { ERROR_CODES, InspectorError } from './errors.ts';

describe('the table of errors', () => {
  it('gives every code an HTTP failure, an exit code of its own and a remedy', () => {
    const rows = Object.values(ERROR_CODES);
    for (const { status, exit, remedy } of rows) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(exit).toBeGreaterThan(0);
      expect(exit).toBeLessThan(126); // shells keep 126 and up for themselves
      expect(remedy).toMatch(/\.$/);
    }
    expect(new Set(rows.map(({ exit }) => exit)).size).toBe(rows.length);
  });
});

describe('InspectorError', () => {
  it('carries code, status, exit code, remedy, data and cause', () => {
    const cause = new Error('ENOENT');
    const error = new InspectorError('not_found', 'No checkpoint "a".', { data: { id: 'a' }, cause });
    expect(error).toMatchObject({ status: 404, exitCode: 4, remedy: ERROR_CODES.not_found.remedy, cause });
    expect(error.toWire()).toEqual({
      error: {
        code: 'not_found',
        message: 'No checkpoint "a".',
        remedy: ERROR_CODES.not_found.remedy,
        data: { id: 'a' },
      },
    });
  });

  it('takes a remedy of its own, and leaves data and cause away where there are none', () => {
    const error = new InspectorError('busy', 'Held.', { remedy: 'Stop the agent.' });
    expect(error.toWire()).toEqual({ error: { code: 'busy', message: 'Held.', remedy: 'Stop the agent.' } });
    expect('cause' in error).toBe(false);
  });

  it('knows its kind from another copy of the package, and nothing else', () => {
    const copy = Object.assign(new Error('x'), { name: 'InspectorError', code: 'busy' });
    expect(InspectorError.is(copy)).toBe(true);
    for (const value of [new Error('x'), { name: 'InspectorError', code: 'busy' }, undefined, 'busy']) {
      expect(InspectorError.is(value)).toBe(false);
    }
  });

  it('wraps any thrown value as internal, and passes its own', () => {
    const own = new InspectorError('busy', 'Held.');
    expect(InspectorError.from(own)).toBe(own);
    expect(InspectorError.from(new TypeError('bad'))).toMatchObject({ code: 'internal', message: 'bad' });
    for (const code of ['EMFILE', 'ENFILE'])
      expect(InspectorError.from(Object.assign(new Error('open'), { code }))).toMatchObject({
        code: 'busy',
        remedy: expect.stringContaining('ulimit -n'),
      });
    expect(InspectorError.from('text')).toMatchObject({ code: 'internal', message: 'text', cause: 'text' });
  });
});
