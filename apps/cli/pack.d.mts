/** Where each published page is: in the repository, and in the package. */
export const PAGES: ReadonlyMap<string, string>;
