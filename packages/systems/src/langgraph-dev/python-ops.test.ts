/** Threads as `langgraph dev` for Python keeps them, in bytes that Python's own pickle wrote (of the server's own shape). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failedThreadsOf } from './python-ops.ts';
import { openDev } from './test-store.ts';

/**
 * Four threads, the first and the last failed; the others idle and interrupted. In their values and metadata are an
 * object of the graph's own, a date, sets, a deque and bytes; the last thread's id is a text, the others' are UUIDs.
 */
const WRITTEN = {
  2: 'gAJ9cQAoWAQAAABydW5zcQFdcQIofXEDKFgGAAAAcnVuX2lkcQRjdXVpZApVVUlECnEFKYFxBn1xB1gDAAAAaW50cQiKEFRVVVVVVUREMzMiIhERERFzYlgJAAAAdGhyZWFkX2lkcQloBSmBcQp9cQtoCIoQUVVVVVVVREQzMyIiEREREXNiWAwAAABhc3Npc3RhbnRfaWRxDGgGWAoAAABjcmVhdGVkX2F0cQ1jZGF0ZXRpbWUKZGF0ZXRpbWUKcQ5jX2NvZGVjcwplbmNvZGUKcQ9YCwAAAAfDqgsVDAAAAAAAcRBYBgAAAGxhdGluMXERhnESUnETY2RhdGV0aW1lCnRpbWV6b25lCnEUY2RhdGV0aW1lCnRpbWVkZWx0YQpxFUsASwBLAIdxFlJxF4VxGFJxGYZxGlJxG1gGAAAAc3RhdHVzcRxYBQAAAGVycm9ycR1YBgAAAGt3YXJnc3EefXEfWAUAAABpbnB1dHEgfXEhc3V9cSIoaARoBmgJaAUpgXEjfXEkaAiKEFJVVVVVVUREMzMiIhERERFzYmgcWAcAAABzdWNjZXNzcSV1ZVgHAAAAdGhyZWFkc3EmXXEnKH1xKChoCWgKaA1oG1gKAAAAdXBkYXRlZF9hdHEpaBtYCAAAAG1ldGFkYXRhcSp9cSsoWAgAAABncmFwaF9pZHEsWAUAAABhZ2VudHEtWAQAAAB1c2VycS5jYWdlbnRzClUKcS8pgXEwfXExWAEAAABhcTJLAXNidWgcaB1YBgAAAGNvbmZpZ3EzfXE0WAYAAAB2YWx1ZXNxNX1xNlgIAAAAbWVzc2FnZXNxN11xOChoLymBcTl9cTpoMksBc2J9cTsoWAEAAAB4cTxHP/gAAAAAAABYAwAAAGJpZ3E9igkAAAAAAAAAAEBYAQAAAHRxPohYAQAAAHNxP2NfX2J1aWx0aW5fXwpzZXQKcUBdcUFLAWGFcUJScUNYAgAAAGZzcURjX19idWlsdGluX18KZnJvemVuc2V0CnFFXXFGSwFhhXFHUnFIWAEAAABicUloD1gDAAAAAMO/cUpoEYZxS1JxTFgBAAAAZHFNY2NvbGxlY3Rpb25zCmRlcXVlCnFOKVJxT0sBYXVlc1gKAAAAaW50ZXJydXB0c3FQfXFRdX1xUihoCWgjaA1oG2gpaBtoKn1xUyhoLGgtaC5oLymBcVR9cVVoMksBc2J1aBxYBAAAAGlkbGVxVmgzfXFXaDV9cVhoN11xWShoLymBcVp9cVtoMksBc2J9cVwoaDxHP/gAAAAAAABoPYoJAAAAAAAAAABAaD6IaD9oQF1xXUsBYYVxXlJxX2hEaEVdcWBLAWGFcWFScWJoSWhMaE1oTilScWNLAWF1ZXNoUH1xZHV9cWUoaAloBSmBcWZ9cWdoCIoQU1VVVVVVREQzMyIiEREREXNiaA1oG2gpaBtoKn1xaChoLGgtaC5oLymBcWl9cWpoMksBc2J1aBxYCwAAAGludGVycnVwdGVkcWtoM31xbGg1fXFtaDddcW4oaC8pgXFvfXFwaDJLAXNifXFxKGg8Rz/4AAAAAAAAaD2KCQAAAAAAAAAAQGg+iGg/aEBdcXJLAWGFcXNScXRoRGhFXXF1SwFhhXF2UnF3aEloTGhNaE4pUnF4SwFhdWVzaFB9cXl1fXF6KGgJWA0AAABwbGFpbi10ZXh0LWlkcXtoDWgbaCloG2gqfXF8KGgsaC1oLmgvKYFxfX1xfmgySwFzYnVoHGgdaDN9cX9oNX1xgGg3XXGBKGgvKYFxgn1xg2gySwFzYn1xhChoPEc/+AAAAAAAAGg9igkAAAAAAAAAAEBoPohoP2hAXXGFSwFhhXGGUnGHaERoRV1xiEsBYYVxiVJximhJaExoTWhOKVJxi0sBYXVlc2hQfXGMdWVYCgAAAGFzc2lzdGFudHNxjV1xjlgSAAAAYXNzaXN0YW50X3ZlcnNpb25zcY9dcZBYBQAAAGNyb25zcZFdcZJ1Lg==',
  4: 'gASVYgQAAAAAAAB9lCiMBHJ1bnOUXZQofZQojAZydW5faWSUjAR1dWlklIwEVVVJRJSTlCmBlH2UjANpbnSUihBUVVVVVVVERDMzIiIRERERc2KMCXRocmVhZF9pZJRoBymBlH2UaAqKEFFVVVVVVUREMzMiIhERERFzYowMYXNzaXN0YW50X2lklGgIjApjcmVhdGVkX2F0lIwIZGF0ZXRpbWWUjAhkYXRldGltZZSTlEMKB+oLFQwAAAAAAJRoEIwIdGltZXpvbmWUk5RoEIwJdGltZWRlbHRhlJOUSwBLAEsAh5RSlIWUUpSGlFKUjAZzdGF0dXOUjAVlcnJvcpSMBmt3YXJnc5R9lIwFaW5wdXSUfZRzdX2UKGgEaAhoC2gHKYGUfZRoCooQUlVVVVVVREQzMyIiEREREXNiaB6MB3N1Y2Nlc3OUdWWMB3RocmVhZHOUXZQofZQoaAtoDGgPaB2MCnVwZGF0ZWRfYXSUaB2MCG1ldGFkYXRhlH2UKIwIZ3JhcGhfaWSUjAVhZ2VudJSMBHVzZXKUjAZhZ2VudHOUjAFVlJOUKYGUfZSMAWGUSwFzYnVoHmgfjAZjb25maWeUfZSMBnZhbHVlc5R9lIwIbWVzc2FnZXOUXZQoaDMpgZR9lGg2SwFzYn2UKIwBeJRHP/gAAAAAAACMA2JpZ5SKCQAAAAAAAAAAQIwBdJSIjAFzlI+UKEsBkIwCZnOUKEsBkZSMAWKUQwIA/5SMAWSUjAtjb2xsZWN0aW9uc5SMBWRlcXVllJOUKVKUSwFhdWVzjAppbnRlcnJ1cHRzlH2UdX2UKGgLaCVoD2gdaCtoHWgsfZQoaC5oL2gwaDMpgZR9lGg2SwFzYnVoHowEaWRsZZRoN32UaDl9lGg7XZQoaDMpgZR9lGg2SwFzYn2UKGhARz/4AAAAAAAAaEGKCQAAAAAAAAAAQGhCiGhDj5QoSwGQaEUoSwGRlGhHaEhoSWhMKVKUSwFhdWVzaE59lHV9lChoC2gHKYGUfZRoCooQU1VVVVVVREQzMyIiEREREXNiaA9oHWgraB1oLH2UKGguaC9oMGgzKYGUfZRoNksBc2J1aB6MC2ludGVycnVwdGVklGg3fZRoOX2UaDtdlChoMymBlH2UaDZLAXNifZQoaEBHP/gAAAAAAABoQYoJAAAAAAAAAABAaEKIaEOPlChLAZBoRShLAZGUaEdoSGhJaEwpUpRLAWF1ZXNoTn2UdX2UKGgLjA1wbGFpbi10ZXh0LWlklGgPaB1oK2gdaCx9lChoLmgvaDBoMymBlH2UaDZLAXNidWgeaB9oN32UaDl9lGg7XZQoaDMpgZR9lGg2SwFzYn2UKGhARz/4AAAAAAAAaEGKCQAAAAAAAAAAQGhCiGhDj5QoSwGQaEUoSwGRlGhHaEhoSWhMKVKUSwFhdWVzaE59lHVljAphc3Npc3RhbnRzlF2UjBJhc3Npc3RhbnRfdmVyc2lvbnOUXZSMBWNyb25zlF2UdS4=',
};
const FAILED = ['11111111-2222-3333-4444-555555555551', 'plain-text-id'];

test.each(Object.entries(WRITTEN))('threads that failed are named, of a pickle of protocol %s', (_protocol, base64) => {
  expect([...failedThreadsOf(Buffer.from(base64, 'base64'))]).toEqual(FAILED);
});

test('whatever is wrong with the file, nothing is thrown, and no thread is named', () => {
  const whole = Buffer.from(WRITTEN[2], 'base64');
  for (let length = 0; length < whole.length; length++) {
    expect([...failedThreadsOf(whole.subarray(0, length))]).toEqual([]);
  }
  for (const bytes of [Buffer.alloc(0), Buffer.from('gAJLAS4=', 'base64'), Buffer.from('no pickle')]) {
    expect([...failedThreadsOf(bytes)]).toEqual([]);
  }
  expect(failedThreadsOf(undefined).size).toBe(0);
});

test('a run that failed without a trace in the checkpoints is told by the server', async () => {
  const own = await openDev('py');
  const thread = 'react-weather';
  const noteOf = async () => (await own.source.tasks({ limit: 100 })).items.find(({ id }) => id === thread)?.latestNote;
  expect(await noteOf()).toBeUndefined();
  // The id has to be that of a thread here: a text of the same length takes the place of the one that is a text.
  const bytes = Buffer.from(WRITTEN[2], 'base64');
  writeFileSync(join(own.folder, '.langgraph_ops.pckl'), withText(bytes, 'plain-text-id', thread));
  expect(await noteOf()).toContain('ended with an error');
  expect((await own.source.tasks({ limit: 100 })).items).toHaveLength(15);
  writeFileSync(join(own.folder, '.langgraph_ops.pckl'), 'no pickle');
  expect(await noteOf()).toBeUndefined();
  await own.close();
});

/** The length of a text is stored in front of it, so it stays the same. */
function withText(bytes: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error('Texts of the same length.');
  return Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1');
}
