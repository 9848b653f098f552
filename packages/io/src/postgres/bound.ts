import { constants } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { InspectorError } from '@checkpoint-inspector/core';

/** A type and the length of what follows, itself included. Source: https://www.postgresql.org/docs/current/protocol-overview.html */
const HEAD = 5;

/**
 * Ends a connection that announces a row longer than the longest text there is: the driver would gather all of it and then
 * throw where nobody catches. Reads the lengths only. The stream has to be between two messages.
 */
export function boundMessages(stream: Duplex, maxBytes: number = constants.MAX_STRING_LENGTH): void {
  const head = Buffer.alloc(HEAD);
  let filled = 0;
  let rest = 0;
  // Before the driver hears of it.
  stream.prependListener('data', (part: Buffer) => {
    let at = 0;
    while (at < part.length) {
      const skipped = Math.min(rest, part.length - at);
      rest -= skipped;
      at += skipped;
      const copied = part.copy(head, filled, at, at + HEAD - filled);
      filled += copied;
      at += copied;
      if (filled < HEAD) continue;
      filled = 0;
      const length = head.readUInt32BE(1);
      rest = Math.max(0, length - (HEAD - 1));
      if (length > maxBytes) return void stream.destroy(tooLarge(length, maxBytes));
    }
  });
}

function tooLarge(size: number, maxBytes: number): InspectorError {
  return new InspectorError('too_large', `A row of ${size} bytes can't be read; the limit is ${maxBytes}.`, {
    remedy: 'Look at the row with a tool of the database.',
    data: { size, maxBytes },
  });
}
