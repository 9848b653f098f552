import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { THEMES } from './routes.ts';

/** A theme changes colours and nothing else: in the second one only the rules that look at them can answer otherwise. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * The rules that axe finds broken in a serious or critical way, in either theme, each with its first element.
 * The page has no frames, so axe runs in it alone and sends back what is wrong, not the whole of what is right.
 */
export async function seriousIssues(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [at, colorScheme] of THEMES.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await axe
      .options({ resultTypes: ['violations'], ...(at > 0 && { runOnly: COLOUR_RULES }) })
      .analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    for (const { id, nodes } of serious) {
      found.push(
        `${colorScheme}: ${id}, ${nodes.length} elements: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.any[0]?.message ?? ''}`,
      );
    }
  }
  if (page.frames().length > 1) throw new Error('The page holds a frame, which axe does not look into here.');
  return found;
}
