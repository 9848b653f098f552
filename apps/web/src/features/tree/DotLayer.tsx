/** Steps as dots with their numbers: what is drawn where the words of cards could not be read. World pixels. */
import { elbow } from '@checkpoint-inspector/core';
import { useStore } from '@xyflow/react';
import { memo, useMemo } from 'react';
import { formatCount } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { Drawn } from './drawn.ts';
import { type FarProps, largerFor, pathTo } from './CanvasLayers.tsx';
import { cellCentre } from './geometry.ts';
import { OutcomeMark } from './lanes/LaneDrawing.tsx';
import { nodeNumber } from './node-facts.ts';
import { inTwoLines } from './two-lines.ts';

const BEND = 6;
const STEP = 3.5;
const FORK = 5;

export const DotLayer = memo(function DotLayer({
  view,
  shown,
  edges,
  selected,
}: FarProps & { readonly edges: readonly number[] }) {
  const larger = useStore((state) => largerFor(state.transform[2]));
  const path = useMemo(() => pathTo(view, selected), [view, selected]);
  const isOn = (edge: number): boolean => path.has(view.links[edge]?.to ?? -1);
  const lines = (on: boolean): string =>
    edges.flatMap((edge) => (isOn(edge) === on ? dotLine(view, edge, BEND * larger) : [])).join('');
  return (
    <svg className="tree-dots" aria-hidden="true" data-testid="tree-dots">
      <path className="lane-way" style={{ strokeWidth: 1.5 * larger }} d={lines(false)} />
      <path className="lane-path" style={{ strokeWidth: 2.5 * larger }} d={lines(true)} />
      {shown.map((item) => (
        <Dot key={view.items[item]?.id} {...{ view, item, larger }} on={path.has(item)} here={item === selected} />
      ))}
    </svg>
  );
});

/** From node to node, turning as soon as it has left the parent. */
export function dotLine(view: Pick<Drawn, 'grid' | 'items' | 'links'>, edge: number, bend: number): string[] {
  const link = view.links[edge];
  const [from, to] = [view.items[link?.from ?? -1], view.items[link?.to ?? -1]];
  if (!from || !to) return [];
  return [elbow(cellCentre(view.grid, from), cellCentre(view.grid, to), bend)];
}

/** The width of a letter of a name, in px of the screen. */
const LETTER = 7;

interface DotProps {
  readonly view: Drawn;
  readonly item: number;
  /** So much larger than the world, so that it keeps its size on the screen. */
  readonly larger: number;
  readonly on: boolean;
  readonly here: boolean;
}

/** Fork points filled, the outcome at the tip, chains as pills with their count. */
function Dot({ view, item, larger, on, here }: DotProps) {
  const shown = useShown();
  const cell = view.items[item];
  if (cell === undefined) return null;
  const node = view.tree.nodes[cell.nodes[0] ?? -1];
  const { x, y } = cellCentre(view.grid, cell);
  const isTip = (view.firstChild[item] ?? -1) < 0;
  const isFork = (node?.children.length ?? 0) > 1;
  const failed = node?.row?.status === 'failed';
  return (
    <g transform={`translate(${x} ${y}) scale(${larger})`}>
      {cell.kind === 'chain' ? (
        <ChainPill count={cell.nodes.length} on={on} />
      ) : isTip || failed ? (
        <OutcomeMark x={0} y={0} status={node?.row?.status ?? 'unknown'} />
      ) : isFork ? (
        <circle className={on ? 'lane-fork on' : 'lane-fork'} r={FORK} />
      ) : (
        <circle className={`lane-step${on ? ' on' : ''}${node?.row === undefined ? ' ghost' : ''}`} r={STEP} />
      )}
      {here && <circle className="lane-here" r="9.5" />}
      {cell.kind === 'node' && (
        <text x={isFork ? -6 : 0} y="17" textAnchor={isFork ? 'end' : 'middle'}>
          {nodeNumber(node)}
        </text>
      )}
      {view.lanes === 1 && cell.kind === 'node' && node?.row?.description !== undefined && (
        <text textAnchor="middle" className="name">
          {inTwoLines(
            shown(node.row.description),
            Math.max(4, Math.floor(view.grid.columnPitch / larger / LETTER)),
          ).map((line, at) => (
            <tspan key={at} x="0" y={34 + at * 15}>
              {line}
            </tspan>
          ))}
        </text>
      )}
    </g>
  );
}

function ChainPill({ count, on }: { readonly count: number; readonly on: boolean }) {
  const text = formatCount(count);
  const wide = Math.max(26, text.length * 7.5 + 14);
  return (
    <g className={on ? 'lane-pill on' : 'lane-pill'}>
      <rect x={-wide / 2} y={-9} width={wide} height={18} rx={9} />
      <text y={4} textAnchor="middle">
        {text}
      </text>
    </g>
  );
}
