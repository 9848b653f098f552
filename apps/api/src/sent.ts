/** Answers that are sent again: while nobody writes to a store, an answer to the same question is still right. */
import type { HttpBindings } from '@hono/node-server';
import type { StoreId } from '@checkpoint-inspector/core';
import type { Inspector } from '@checkpoint-inspector/inspector';
import type { Context } from 'hono';
import { createGuard, type GuardOptions } from './guards/guard.ts';
import { setHeadersOf } from './guards/headers.ts';
import { headersAsItIs } from './lib/encoding.ts';

/** None is older, whatever a store tells of its version. */
const HOLDS_MS = 1_000;
const MOST_CHARACTERS = 4_000_000;

interface Sent {
  readonly path: string;
  readonly encodings: string | undefined;
  readonly store: StoreId;
  readonly version: object;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class SentAnswers {
  readonly #check: ReturnType<typeof createGuard>;
  readonly #inspector: Pick<Inspector, 'stores' | 'search'>;
  readonly #sent = new Map<string, Sent>();
  #characters = 0;

  constructor(guards: GuardOptions, inspector: Pick<Inspector, 'stores' | 'search'>) {
    this.#check = createGuard(guards);
    this.#inspector = inspector;
  }

  /**
   * A route's answer that follows from its address and one store alone.
   * @param version the store's, from before it was asked; absent: it isn't sent again
   */
  send(
    c: Context,
    { store, version }: { readonly store: StoreId; readonly version: object | undefined },
    text: string,
    given: Readonly<Record<string, string>>,
  ): Response {
    const encodings = c.req.header('accept-encoding');
    const headers = version && headersAsItIs(encodings, text, given);
    if (version && headers) {
      const { path, url } = c.req;
      this.#keep(url, { path, encodings, store, version, text, headers });
    }
    return new Response(text, { headers: given });
  }

  /** The same answer to the same question, after the same guards; `undefined`: it has to be answered, or refused. */
  again(request: Request, { outgoing }: Partial<HttpBindings> = {}): Response | undefined {
    const sent = this.#sent.get(request.url);
    if (sent === undefined || outgoing === undefined || request.method !== 'GET') return undefined;
    const header = (name: string): string | undefined => request.headers.get(name) ?? undefined;
    if (header('accept-encoding') !== sent.encodings || header('if-none-match') !== undefined) return undefined;
    const { stores, search } = this.#inspector;
    try {
      this.#check({ method: 'GET', path: sent.path, header });
      if (stores.source(sent.store).version?.() !== sent.version) return undefined;
    } catch {
      return undefined;
    }
    // It counts among those that the index gives way to.
    search.request()();
    setHeadersOf(outgoing, sent.path);
    return new Response(sent.text, { headers: sent.headers });
  }

  #keep(url: string, sent: Sent): void {
    const characters = url.length + sent.text.length;
    if (this.#characters + characters > MOST_CHARACTERS) return;
    this.#characters += characters;
    if (this.#sent.size === 0) setTimeout(() => this.#clear(), HOLDS_MS).unref();
    this.#sent.set(url, sent);
  }

  #clear(): void {
    this.#sent.clear();
    this.#characters = 0;
  }
}
