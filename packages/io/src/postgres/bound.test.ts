import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../testing/describe-postgres.ts';
import { postgresForTests } from '../testing/postgres.ts';
import { boundMessages } from './bound.ts';

const message = (bytes: number): Buffer => {
  const whole = Buffer.alloc(5 + bytes, 'D');
  whole.writeUInt32BE(4 + bytes, 1);
  return whole;
};

async function failureOf(parts: readonly Buffer[], maxBytes: number): Promise<unknown> {
  const stream = new PassThrough();
  boundMessages(stream, maxBytes);
  let failure: unknown;
  stream.on('error', (error) => (failure = error));
  stream.resume();
  for (const part of parts) stream.write(part);
  await new Promise((resolve) => setTimeout(resolve, 1));
  return failure;
}

function cut(whole: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    parts.push(whole.subarray(at, at + size));
    at += size;
  }
  return [...parts, whole.subarray(at)].filter((part) => part.length > 0);
}

it('finds the one message that is too long, wherever the stream is cut', async () => {
  const sizes = fc.array(fc.nat(40), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, sizes, fc.boolean(), async (lengths, cuts, isLong) => {
      const all = [...lengths.map(message), ...(isLong ? [message(50)] : []), message(3)];
      const failure = await failureOf(cut(Buffer.concat(all), cuts), 50);
      expect(failure).toEqual(isLong ? expect.objectContaining({ code: 'too_large' }) : undefined);
    }),
    { numRuns: 300 },
  );
});

describeWithPostgres('a row that is too long', () => {
  it('ends the connection with a reason before it is gathered', async () => {
    const { default: pg } = await import('pg');
    const db = await postgresForTests();
    const client = new pg.Client({ connectionString: db.url });
    client.on('error', () => undefined);
    await client.connect();
    boundMessages(client.connection.stream, 1_000_000);
    expect((await client.query("SELECT repeat('x', 900000) AS t")).rows).toHaveLength(1);
    const long = client.query("SELECT repeat('x', 4000000) AS t");
    await expect(long).rejects.toMatchObject({ code: 'too_large', data: { size: 4000010 } });
    await client.end();
    await db.close();
  });
});
