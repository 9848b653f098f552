// A browser offers to install a page that has a worker. This one caches nothing and answers no request:
// every byte comes from the server, and without it there is no page.
self.addEventListener('fetch', () => undefined);
