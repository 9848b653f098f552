import { describe, it } from 'vitest';
import { findPostgres, NO_POSTGRES, withoutServer } from './postgres-server.ts';

/** Tests that need a server. Without one they are skipped and named, and fail where nobody is to look at names: in CI. */
export function describeWithPostgres(name: string, body: () => void): void {
  if (findPostgres()) return void describe(name, body);
  if (withoutServer() === 'fail') {
    return void describe(name, () => {
      it('has a PostgreSQL server', () => {
        throw new Error(NO_POSTGRES);
      });
    });
  }
  describe.skip(`${name} (${NO_POSTGRES})`, body);
}
