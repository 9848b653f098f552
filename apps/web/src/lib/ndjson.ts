/** Reads a stream of JSON lines, in the parts in which it comes. @example for await (const lines of readLines(body)) … */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly unknown[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const texts = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n');
      rest = done ? '' : (texts.pop() ?? '');
      const lines = texts.filter((text) => text !== '').map((text) => JSON.parse(text) as unknown);
      if (lines.length > 0) yield lines;
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
