/** The run and its forks as a drawing: a row a lane, a dot a step. No script and no style of its own, as in step-chart. */
import { elbow, lanesInOrder, lanesOf, type ForkTree, type Lane } from '@checkpoint-inspector/core';
import { escapeHtml } from './markup.ts';

interface PictureOptions {
  /** Plain text, masked. */
  readonly nameOf: (lane: Lane) => string;
  /** `#07` */
  readonly numberOf: (node: number) => string;
  /** Its node is marked. */
  readonly lastGood: number | undefined;
}

const WIDTH = 720;
const LEFT = 20;
const NAME = 230;
const TOP = 44;
const ROW = 46;
const WIDEST = 46;
const BEND = 8;
/** More lanes are counted, not drawn. */
const MOST_LANES = 12;
/** Closer steps are drawn as a line; names of steps need more room still. */
const DOTTED = 7;
const NUMBERED = 30;
const NAME_LENGTH = 30;

/** Markup; empty where there is one step or none. */
export function runPicture(tree: ForkTree, options: PictureOptions): string {
  const { lanes, laneOf } = lanesOf(tree);
  const drawn = lanesDrawn(tree, lanes, laneOf, options.lastGood);
  const columns = drawn.reduce((most, { depth, nodes }) => Math.max(most, depth + nodes.length), 0);
  if (columns < 2) return '';
  const step = Math.min(WIDEST, (WIDTH - LEFT - NAME) / (columns - 1));
  const row = new Map(drawn.map(({ ordinal }, at) => [ordinal, TOP + at * ROW]));
  const at = (lane: Lane, node: number): Spot => ({
    x: Math.round(LEFT + (lane.depth + lane.nodes.indexOf(node)) * step),
    y: row.get(lane.ordinal) ?? TOP,
  });
  const picture: Picture = { tree, step, at, ...options };
  const parts = drawn.map((lane) => {
    const parent = lanes[lane.parent ?? -1];
    const from = lane.fork === undefined || !parent ? undefined : at(parent, lane.fork);
    return laneMarkup(picture, lane, from);
  });
  const height = TOP + drawn.length * ROW - 10;
  const more = lanes.length - drawn.length;
  const left = more > 0 ? `<p class="muted">${more} more ${more === 1 ? 'lane is' : 'lanes are'} not drawn.</p>` : '';
  return `<svg class="run" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The run as a tree">${parts.join('')}</svg>${left}`;
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

interface Picture extends PictureOptions {
  readonly tree: ForkTree;
  readonly step: number;
  readonly at: (lane: Lane, node: number) => Spot;
}

/** In reading order: main, those that the last good and the latest are in, then the oldest, as many as there is room for. */
function lanesDrawn(tree: ForkTree, lanes: readonly Lane[], laneOf: Int32Array, lastGood: number | undefined): Lane[] {
  const latest = tree.nodes.findLastIndex(({ row }) => row?.isLatest === true);
  const wanted = new Set<number>();
  const want = (from: number | undefined): void => {
    for (let at = from; at !== undefined && at >= 0; at = lanes[at]?.parent) wanted.add(at);
  };
  want(0);
  for (const node of [lastGood, latest]) want(laneOf[node ?? -1]);
  for (const { ordinal } of lanes) if (wanted.size < MOST_LANES) want(ordinal);
  return lanesInOrder(lanes).flatMap((ordinal) => (wanted.has(ordinal) ? (lanes[ordinal] ?? []) : []));
}

function laneMarkup(picture: Picture, lane: Lane, from: Spot | undefined): string {
  const { at, nameOf } = picture;
  const [first, tip] = [at(lane, lane.nodes[0] ?? -1), at(lane, lane.tip)];
  const way = `${from ? elbow(from, first, BEND) : `M${first.x} ${first.y}`}H${tip.x}`;
  const name = nameOf(lane);
  const short = name.length <= NAME_LENGTH ? name : `${name.slice(0, NAME_LENGTH - 1)}…`;
  const label = `<text class="lane" x="${tip.x + 16}" y="${tip.y + 4}">${escapeHtml(short)}<tspan class="muted">, ${lane.status}</tspan></text>`;
  const dots = lane.nodes.map((node, place) => nodeMarkup(picture, lane, node, place === 0));
  return `<path class="${lane.ordinal === 0 ? 'way' : 'way fork'}" d="${way}"></path>${dots.join('')}${label}`;
}

function nodeMarkup(picture: Picture, lane: Lane, node: number, isFirst: boolean): string {
  const { tree, step, at, lastGood, numberOf } = picture;
  const { x, y } = at(lane, node);
  const { row, children = [] } = tree.nodes[node] ?? {};
  const isTip = node === lane.tip;
  const failed = row?.status === 'failed';
  const word = node === lastGood ? 'last good' : undefined;
  const telling = isTip || failed || word !== undefined || children.length > 1;
  if (!telling && step < DOTTED) return '';
  const numbered = step >= NUMBERED || isTip || isFirst || word !== undefined;
  const number = numbered
    ? `<text class="${word ? 'strong' : 'number'}" x="${x}" y="${y - 13}">${escapeHtml(numberOf(node))}</text>`
    : '';
  // The line of a fork goes down from here: the word ends before it.
  const below = word
    ? `<text class="word${children.length > 1 ? ' before' : ''}" x="${children.length > 1 ? x - 4 : x}" y="${y + 20}">${word}</text>`
    : '';
  return `${dot({ x, y }, failed ? 'failed' : isTip ? (row?.status ?? '') : word ? 'marked' : 'step')}${number}${below}`;
}

/** Outcomes by shape: they are told apart in black and white. */
function dot({ x, y }: Spot, kind: string): string {
  if (kind === 'failed')
    return `<circle class="failed" cx="${x}" cy="${y}" r="7"></circle><path class="failed" d="M${x - 2.5} ${y - 2.5}l5 5m0-5l-5 5"></path>`;
  if (kind === 'completed')
    return `<circle class="done" cx="${x}" cy="${y}" r="7"></circle><path class="done" d="M${x - 3} ${y}l2.2 2.2 4-4.4"></path>`;
  return `<circle class="${kind === 'marked' ? 'marked' : 'step'}" cx="${x}" cy="${y}" r="${kind === 'step' ? 4 : 6}"></circle>`;
}
