import AxeBuilder from '@axe-core/playwright';
import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR } from '../support/pages.ts';
import { THEMES } from '../support/routes.ts';

const COMPANY_B = '$.context.revenue.CompanyB';

test('a failed task says what failed, from where to go on at what cost, and what the run wrote', async ({
  page,
  demo,
}) => {
  await openAt(page, demo, COMPETITOR);
  const strip = page.getByTestId('answer-strip');
  await expect(strip).toHaveAttribute('data-state', 'failed');
  await expect(strip.getByRole('heading', { name: 'compile failed' })).toBeVisible();
  await expect(strip.getByTestId('answer-error')).toContainText('ranking inconsistent with the summary');
  // By the store's own record: nothing that only is unusual moves it.
  await expect(strip).toContainText(/Last good #09 .*1 step back/);
  await expect(strip.getByTestId('answer-next')).toContainText(/Restore #09.*1 step would be redone/);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).include('[data-testid="content-pane"]').analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }

  const more = strip.getByTestId('writes').getByRole('button', { name: /^\d+ more$/ });
  const figure = strip
    .getByTestId('write')
    .and(page.locator(`[data-path="${COMPANY_B}"]`))
    .filter({ hasText: '#07' });
  if ((await figure.count()) === 0) await more.press('Enter');
  await expect(figure).toContainText('4.2 → 4200');
  await figure.getByRole('link').first().press('Enter');
  await expect(page).toHaveURL(/cp=ckpt-07/);
  await expect(page.locator(`[data-testid="diff-row"][data-path="${COMPANY_B}"]`)).toHaveClass(/focused/);
  await page.goBack();

  if ((await figure.count()) === 0) await more.press('Enter');
  await figure.getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('menuitem', { name: /^Edit this value/ }).click();
  await expect(page).toHaveURL(/\/edit\?.*cp=ckpt-07/);
  await page.goBack();

  await strip.getByTestId('answer-compare').click();
  await expect(page.getByTestId('base-picker')).toContainText('#09');
  await strip.getByTestId('answer-next').click();
  await expect(page.getByRole('dialog')).toContainText('#09');
});

test('what a value should be is checked with the keyboard alone', async ({ page, demo }) => {
  await openAt(page, demo, `${COMPETITOR}?cp=ckpt-07&path=${encodeURIComponent(COMPANY_B)}`);
  await expect(page.getByTestId('focused-value')).toContainText('4200');
  await page.keyboard.press('s');
  const field = page.getByTestId('should-be-value');
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('4200');
  await field.fill('4.2');
  await page.keyboard.press('Enter');
  const broken = page.getByTestId('should-be-answer').getByTestId('first-broken');
  await expect(broken).toContainText('#07');
  await expect(broken).toHaveAttribute('href', /cp=ckpt-07/);
  await page.keyboard.press('Escape');
  await expect(field).toHaveCount(0);
  await expect(page.locator('body')).not.toBeFocused();
});

test('restoring the latest onto itself says so and offers nothing', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await expect(page.getByTestId('answer-strip')).toBeVisible();
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('#10 is already the latest.');
  await expect(dialog.getByTestId('confirm-change')).toHaveCount(0);
});

test('on a narrow screen the strip keeps error, last good, one write and both buttons', async ({ page, demo }) => {
  await page.setViewportSize({ width: 400, height: 800 });
  await openAt(page, demo, COMPETITOR);
  const strip = page.getByTestId('answer-strip');
  await expect(strip.getByTestId('write')).toHaveCount(1);
  await expect(strip).toContainText('Last good #09');
  for (const id of ['answer-compare', 'answer-next']) await expect(strip.getByTestId(id)).toBeInViewport();
  await strip
    .getByTestId('writes')
    .getByRole('button', { name: /^\d+ more$/ })
    .click();
  await expect(strip.getByTestId('write').nth(2)).toBeVisible();
});

test.describe('without an answer', () => {
  test.use({ allowedErrors: /status of 500 .*\/explain/ });
  test('the error stays in full, with a second try', async ({ page, demo }) => {
    const error = { code: 'internal', message: 'It broke.', remedy: 'Try again.' };
    // The page may ask by itself as well: nothing but the press gets an answer.
    const isPressed = () => page.evaluate(() => document.documentElement.dataset['pressed'] === 'yes');
    await page.route('**/explain?*', async (route) => {
      if (!(await isPressed())) return route.fulfill({ status: 500, json: { error } });
      return route.continue();
    });
    await openAt(page, demo, '/t/kaizen-checkpoints/experimental_agent');
    const strip = page.getByTestId('answer-strip');
    await expect(strip).toContainText('could not be explained');
    await expect(strip.getByTestId('answer-error')).toHaveText('API timeout after 45 s');
    await page.evaluate(() =>
      document.addEventListener('click', () => (document.documentElement.dataset['pressed'] = 'yes'), {
        capture: true,
      }),
    );
    await strip.getByRole('button', { name: 'Try again' }).click();
    await expect(strip).toHaveAttribute('data-state', 'failed');
    await expect(strip).toContainText('Last good');
  });
});
