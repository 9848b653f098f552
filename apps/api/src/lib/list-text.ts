import { createPause } from '@checkpoint-inspector/core';

const AT_A_TIME = 500;

/** `JSON.stringify({ items })` as UTF-8; while it is made of very many items, other requests get their turn. */
export async function listText(items: readonly object[]): Promise<Uint8Array<ArrayBuffer>> {
  const pause = createPause();
  const parts: Buffer[] = [];
  for (let from = 0; from < items.length; from += AT_A_TIME) {
    const text = JSON.stringify(items.slice(from, from + AT_A_TIME)).slice(1, -1);
    parts.push(Buffer.from(from === 0 ? text : `,${text}`));
    await pause();
  }
  return new Uint8Array(Buffer.concat([Buffer.from('{"items":['), ...parts, Buffer.from(']}')]));
}
