/** Reads a stream of server-sent events. */
export interface ServerEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** @example for await (const event of readEvents(response.body)) … */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // A carriage return at the end may be half of a line end: it waits for the next part.
      const text = rest + decoder.decode(value, { stream: true });
      const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
      const blocks = whole.replaceAll(/\r\n|\r/g, '\n').split('\n\n');
      rest = (blocks.pop() ?? '') + text.slice(whole.length);
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  if (data.length === 0 && event === 'message') return undefined;
  return { ...(id === undefined ? {} : { id }), event, data: data.join('\n') };
}
