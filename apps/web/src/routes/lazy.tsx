import { InspectorError } from '@checkpoint-inspector/core';
import type { ReactNode } from 'react';
import { api } from '../lib/api.ts';
import { fetchPart } from '../lib/part.ts';

export type Load<Name extends string> = () => Promise<Record<Name, () => ReactNode>>;

interface LazyPage {
  (): ReactNode;
  /** Absent once the code is there: then the router has nothing to wait for. */
  preload?: () => Promise<void>;
}

/** A page as old as this may be of another version than the server. */
const OLD_MS = 10_000;

/**
 * A page whose code is fetched when it is first opened. The router's own reloads the document where that fails: while
 * the server is away all that is shown would be lost.
 */
export function lazy<Name extends string>(load: Load<Name>, name: Name): LazyPage {
  let Page: (() => ReactNode) | undefined;
  let failure: unknown;
  const Lazy: LazyPage = () => {
    if (Page !== undefined) return <Page />;
    // The server answers, so it is of another version: all is loaded again.
    if (!InspectorError.is(failure) && performance.now() > OLD_MS) location.reload();
    throw failure;
  };
  Lazy.preload = async () => {
    try {
      Page = (await fetchPart(load))[name];
      delete Lazy.preload;
    } catch (cause) {
      failure = await api.status().then(
        () => cause,
        (away: unknown) => away,
      );
    }
  };
  return Lazy;
}
