import AxeBuilder from '@axe-core/playwright';
import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR } from '../support/pages.ts';
import { THEMES } from '../support/routes.ts';

const COMPANY_B = '$.context.revenue.CompanyB';

test('a failed task says why it failed, from where to go on, and its likely cause is one click away', async ({
  page,
  demo,
}) => {
  await openAt(page, demo, COMPETITOR);
  const strip = page.getByTestId('answer-strip');
  await expect(strip).toHaveAttribute('data-state', 'suspects');
  await expect(strip.getByRole('heading', { name: 'compile failed' })).toBeVisible();
  await expect(strip.getByTestId('answer-error')).toHaveText('ranking inconsistent with the summary');
  await expect(strip).toContainText('Last good #06 retry_plan, 4 steps back.');
  await expect(strip).toContainText('#07 to #09 did not fail but hold the suspect value.');
  await expect(page.locator('.history-foot')).toContainText('hold the suspect value');
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).include('[data-testid="content-pane"]').analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }

  // Since the last good one, suspects first; each row names its step.
  const since = page.getByTestId('since');
  await expect(since.getByRole('radio', { name: 'Since last good #06' })).toBeChecked();
  const rows = page.getByTestId('diff-row');
  await expect(rows.first()).toHaveAttribute('data-path', '$.context.revenue');
  await expect(rows.first()).toHaveClass(/focused/);
  await expect(rows.first().getByTestId('diff-step')).toContainText('#09');
  await expect(page.locator('[data-path="$.context.cache_ttl"]').getByTestId('diff-step')).toContainText('#07');
  // The checkpoints that hold the suspect value are marked.
  await expect(page.locator('.history-row.held')).toHaveCount(3);
  await expect(page.getByTestId('timeline-held')).toBeAttached();
  await since.getByRole('radio', { name: 'This step' }).click();
  await expect(page).toHaveURL(/since=step/);
  await expect(rows.first()).toHaveAttribute('data-path', '$.plan[3].status');
  await since.getByRole('radio', { name: 'Since last good #06' }).click();
  await page.locator('[data-path="$.context.cache_ttl"] .diff-step-open').click();
  await expect(page).toHaveURL(/cp=ckpt-07.*path=%24.context.cache_ttl|path=%24.context.cache_ttl.*cp=ckpt-07/);
  await page.goBack();

  const suspect = strip.getByTestId('suspect').first();
  await expect(suspect).toHaveAttribute('data-path', COMPANY_B);
  await expect(suspect).toContainText('4.2 → 4200');
  await suspect
    .getByRole('button', { name: /CompanyB/ })
    .first()
    .press('Enter');
  await expect(page).toHaveURL(/cp=ckpt-07/);
  await expect(page.locator(`[data-testid="diff-row"][data-path="${COMPANY_B}"]`)).toHaveClass(/focused/);
  const note = page.getByTestId('suspect-note');
  await expect(note).toContainText('of the failure at #10');
  await expect(note).toContainText('4.2 → 4200');
  await note.getByTestId('suspect-edit').click();
  await expect(page).toHaveURL(/\/edit\?.*cp=ckpt-07/);
  await page.goBack();
  await note.getByRole('button', { name: 'Back to #10' }).click();

  await strip.getByTestId('answer-compare').click();
  await expect(page.getByTestId('base-picker')).toContainText('#06');
  await strip.getByTestId('answer-next').click();
  await expect(page.getByRole('dialog')).toContainText('#06');
});

test('on a narrow screen the strip keeps error, last good, first cause and both buttons', async ({ page, demo }) => {
  await page.setViewportSize({ width: 400, height: 800 });
  await openAt(page, demo, COMPETITOR);
  const strip = page.getByTestId('answer-strip');
  await expect(strip.getByTestId('suspect')).toHaveCount(1);
  await expect(strip).toContainText('Last good #06');
  for (const id of ['answer-compare', 'answer-next']) await expect(strip.getByTestId(id)).toBeInViewport();
  await strip.getByRole('button', { name: /^\d more$/ }).click();
  await expect(strip.getByTestId('suspect').nth(2)).toBeVisible();
});

test.describe('without an answer', () => {
  test.use({ allowedErrors: /status of 500 .*\/diagnosis/ });
  test('the error stays in full, with a second try', async ({ page, demo }) => {
    const error = { code: 'internal', message: 'It broke.', remedy: 'Try again.' };
    // The page may ask by itself as well: nothing but the press gets an answer.
    const isPressed = () => page.evaluate(() => document.documentElement.dataset['pressed'] === 'yes');
    await page.route('**/diagnosis?*', async (route) => {
      if (!(await isPressed())) return route.fulfill({ status: 500, json: { error } });
      return route.continue();
    });
    await openAt(page, demo, '/t/kaizen-checkpoints/experimental_agent');
    const strip = page.getByTestId('answer-strip');
    await expect(strip).toContainText('Causes could not be ranked');
    await expect(strip.getByTestId('answer-error')).toHaveText('API timeout after 45 s');
    await page.evaluate(() =>
      document.addEventListener('click', () => (document.documentElement.dataset['pressed'] = 'yes'), {
        capture: true,
      }),
    );
    await strip.getByRole('button', { name: 'Try again' }).click();
    await expect(strip).toHaveAttribute('data-state', /suspects|unclear/);
    await expect(strip).toContainText('Last good');
  });
});
