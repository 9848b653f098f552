import type { Page } from '@playwright/test';

/** For an init script: the page marks when the first element of this kind is drawn, and keeps what held it up. */
export const measure = (selector: string) => {
  const tasks: number[] = [];
  Object.assign(globalThis, { tasks });
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
    type: 'longtask',
    buffered: true,
  });
  const seen = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    seen.disconnect();
    requestAnimationFrame(() => performance.mark('drawn'));
  });
  seen.observe(document, { childList: true, subtree: true });
};

/** Milliseconds from the navigation to the mark. */
export async function drawnAfter(page: Page): Promise<number> {
  await page.waitForFunction(() => performance.getEntriesByName('drawn').length > 0);
  return page.evaluate(() => performance.getEntriesByName('drawn')[0]?.startTime ?? Number.NaN);
}

export const longestTask = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks));

export const elementCount = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);

/** Bytes of the answers to requests whose address holds this; NaN, which is below no bound, where one does not say. */
export function answerSizes(page: Page, part: string): number[] {
  const sizes: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes(part)) sizes.push(Number(response.headers()['content-length']));
  });
  return sizes;
}

/** @throws when nothing was answered: then nothing was measured */
export function largestOf(sizes: readonly number[]): number {
  if (sizes.length === 0) throw new Error('No answer was seen.');
  return Math.max(...sizes);
}

export const say = (text: string): void => console.log(`measured: ${text}`);

/** For an init script: every distance from the top at which the first element of this kind is shown. */
export const watchTops = (selector: string) => {
  const tops = new Set<number>();
  Object.assign(globalThis, { tops });
  const look = () => {
    const box = document.querySelector(selector)?.getBoundingClientRect();
    if (box && box.height > 0) tops.add(box.top);
    requestAnimationFrame(look);
  };
  look();
};

export const topsSeen = (page: Page): Promise<readonly number[]> =>
  page.evaluate(() => [...(globalThis as unknown as { tops: ReadonlySet<number> }).tops]);

/** For an init script: how far things moved without anybody's doing, and how long each press took to be drawn. */
export const watchSteadiness = () => {
  const steady = { shift: 0, moved: [] as string[], pressed: [] as number[] };
  Object.assign(globalThis, { steady });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: readonly { node?: Element; previousRect: DOMRect; currentRect: DOMRect }[];
      };
      if (hadRecentInput) continue;
      steady.shift += value;
      steady.moved.push(
        ...sources.map(
          ({ node, previousRect: from, currentRect: to }) =>
            `${value.toFixed(4)} ${node?.nodeName} ${node?.className}: ${from.x},${from.y} to ${to.x},${to.y}`,
        ),
      );
    }
  }).observe({ type: 'layout-shift' });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (entry.name === 'keydown') steady.pressed.push(entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
};
