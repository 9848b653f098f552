import { describe, it } from 'vitest';
import {
  findPostgres,
  NO_POSTGRES,
  startOwnServer,
  withoutServer,
  type OwnServer,
  type OwnServerOptions,
} from './postgres-server.ts';

/** Tests that need a server. Without one they are skipped and named, and fail where nobody is to look at names: in CI. */
export function describeWithPostgres(name: string, body: () => void): void {
  describeIf(findPostgres() !== undefined, name, body);
}

/** Tests that kill their server, or start it in a way of their own, whatever `DATABASE_URL` names. */
export function describeWithOwnPostgres(
  name: string,
  body: (start: (options?: OwnServerOptions) => Promise<OwnServer>) => void,
): void {
  const source = findPostgres({ ...process.env, DATABASE_URL: '' });
  describeIf(source !== undefined, name, () =>
    body((options) => {
      if (source === undefined || 'url' in source) throw new Error(NO_POSTGRES);
      return startOwnServer(source, options);
    }),
  );
}

function describeIf(isThere: boolean, name: string, body: () => void): void {
  if (isThere) return void describe(name, body);
  if (withoutServer() === 'fail') {
    return void describe(name, () => {
      it('has a PostgreSQL server', () => {
        throw new Error(NO_POSTGRES);
      });
    });
  }
  describe.skip(`${name} (${NO_POSTGRES})`, body);
}
