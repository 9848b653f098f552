/** Lets the browser offer to install the page. The worker behind it keeps no data and answers nothing by itself. */
export function registerForInstall(): void {
  if (!('serviceWorker' in navigator)) return;
  // Where it is not allowed, as in a private window, the page is the same without it.
  void navigator.serviceWorker.register('/sw.js').catch(() => undefined);
}
