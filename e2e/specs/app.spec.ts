import { expect, openAt, test } from '../support/fixtures.ts';

interface Manifest {
  readonly display: string;
  readonly start_url: string;
  readonly icons: readonly {
    readonly src: string;
    readonly type: string;
    readonly sizes: string;
    readonly purpose: string;
  }[];
}

test('the page can be installed: manifest, icons, and a worker that keeps nothing', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  const href = await page.locator('link[rel="manifest"]').getAttribute('href');
  const answer = await page.request.get(new URL(href ?? '', demo.origin).href);
  expect(answer.headers()['content-type']).toBe('application/manifest+json');
  const manifest = (await answer.json()) as Manifest;
  expect(manifest).toMatchObject({ display: 'standalone', start_url: '/' });
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable');
  for (const { src, type, sizes } of manifest.icons) {
    const icon = await page.request.get(new URL(src, demo.origin).href);
    expect(icon.headers()['content-type']).toBe(type);
    const width = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      return image.naturalWidth;
    }, src);
    if (sizes !== 'any') expect(`${width}x${width}`).toBe(sizes);
  }
  const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
  expect(worker).toBe(`${demo.origin}/sw.js`);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  const session = await page.context().newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // Test windows are private ones: nothing else prevents it.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
});
