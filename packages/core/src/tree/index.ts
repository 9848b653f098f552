export {
  collapseChains,
  type CollapseOptions,
  type VisibleEdge,
  type VisibleItem,
  type VisibleTree,
} from './chains.ts';
export {
  ancestry,
  type ForkTree,
  forkTree,
  forkTreeInSteps,
  laneCount,
  lineageKinds,
  type TreeNode,
} from './fork-tree.ts';
export { type LaneLayout, layoutLanes } from './lanes.ts';
export { decodeLineage, decodeLineageInSteps, type LineageColumns } from './columns.ts';
export { encodeLineage, LineageEncoder } from './encode-columns.ts';
export { elbow, forksOfLane, lanesInOrder } from './lane-order.ts';
export { lanePairs, lanesInSteps, lanesOf, type Lane, type Lanes } from './lane-list.ts';
export { laneDifferences, laneTitle, nameLengths, type LaneDifference, type LaneNamed } from './lane-names.ts';
