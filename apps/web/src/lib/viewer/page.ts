/** What the page has in place of a server when it is a file: set before it starts. */

export interface Viewer {
  readonly fetch: typeof fetch;
}

declare global {
  var checkpointViewer: Viewer | undefined;
}

export const viewerOfPage = (): Viewer | undefined => globalThis.checkpointViewer;

/** Whether the page is a file: nothing can be changed, opened or exported, and what can't work isn't shown. */
export const isFile = (): boolean => viewerOfPage() !== undefined;
