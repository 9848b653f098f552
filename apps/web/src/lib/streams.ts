/** What the server sends piece by piece: events, and lines of JSON. Loaded with the first of them. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';

export type ServerEvent = EventSourceMessage & { readonly event: string };

/** The text of a stream, in the parts in which it comes; whoever stops reading cancels it. */
async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield decoder.decode(value, { stream: !done });
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** @example for await (const event of readEvents(response.body)) … */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const events: ServerEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push({ ...event, event: event.event ?? 'message' }) });
  for await (const text of readText(body)) {
    parser.feed(text);
    yield* events.splice(0);
  }
}

/**
 * The lines that each part of the stream ends.
 * @throws SyntaxError when a line isn't JSON
 * @example for await (const lines of readLines(body)) …
 */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  let rest = '';
  for await (const text of readText(body)) {
    const texts = (rest + text).split('\n');
    rest = texts.pop() ?? '';
    const lines = texts.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
    if (lines.length > 0) yield lines;
  }
  if (rest !== '') yield [JSON.parse(rest) as unknown];
}
