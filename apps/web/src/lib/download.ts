/** Saving what the page holds as a file. */

/** A name every file system takes. @example fileName('a/b', 'json') // 'a_b.json' */
export const fileName = (id: string, extension: string): string =>
  `${(id || 'checkpoint')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 100)}.${extension}`;

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has taken the bytes over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
