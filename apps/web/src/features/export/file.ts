export type ExportFormat = 'html' | 'bundle';

/** A name that every file system takes. @example fileName('a/b', 'html') // 'a-b.html' */
export function fileName(task: string, format: ExportFormat): string {
  const plain = task.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return `${plain.slice(0, 80) || 'task'}.${format === 'html' ? 'html' : 'json'}`;
}

/** Hands the file to the browser's own downloads. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
