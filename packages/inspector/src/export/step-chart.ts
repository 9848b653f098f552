/** A number over the steps as a drawing: no script and no style of its own, so the report's policy lets it through. */

export interface ChartPoint {
  readonly name: string;
  readonly value: number;
  readonly isMarked: boolean;
}

const WIDTH = 720;
const HEIGHT = 150;
const LEFT = 24;
const TOP = 28;
const BOTTOM = 118;
/** Beyond this ratio a linear axis shows the larger values only. */
const LOG_FROM = 100;

/** @param label markup */
export function stepChart(points: readonly ChartPoint[], label: string): string {
  const values = points.map(({ value }) => value);
  const isLog = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) >= LOG_FROM;
  const scale = (value: number): number => (isLog ? Math.log10(value) : value);
  const [low, high] = [Math.min(...values.map(scale)), Math.max(...values.map(scale))];
  const x = (at: number): number => round(LEFT + (at * (WIDTH - 2 * LEFT)) / Math.max(1, points.length - 1));
  const y = (value: number): number =>
    round(high === low ? (TOP + BOTTOM) / 2 : BOTTOM - ((scale(value) - low) / (high - low)) * (BOTTOM - TOP));
  const line = points.map(({ value }, at) => (at === 0 ? `M${x(0)} ${y(value)}` : `H${x(at)}V${y(value)}`)).join('');
  const marks = points.map(({ name, value, isMarked }, at) => {
    const isNew = at === 0 || points[at - 1]?.value !== value;
    const text = isNew ? `<text x="${x(at)}" y="${y(value) - 9}">${value}</text>` : '';
    const step = isNew || at === points.length - 1 ? `<text x="${x(at)}" y="${HEIGHT - 8}">${name}</text>` : '';
    return `<circle class="${isMarked ? 'marked' : 'point'}" cx="${x(at)}" cy="${y(value)}" r="4"></circle>${text}${step}`;
  });
  const axis = isLog ? '<p class="muted">The axis is logarithmic.</p>' : '';
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><path d="${line}"></path>${marks.join('')}</svg>${axis}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
