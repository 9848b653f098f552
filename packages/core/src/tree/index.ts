export {
  collapseChains,
  type CollapseOptions,
  type VisibleEdge,
  type VisibleItem,
  type VisibleTree,
} from './chains.ts';
export { ancestry, type ForkTree, forkTree, laneCount, lineageKinds, type TreeNode } from './fork-tree.ts';
export { type LaneLayout, layoutLanes } from './lanes.ts';
export { decodeLineage, encodeLineage, type LineageColumns } from './columns.ts';
export { elbow, forksOfLane, lanesInOrder } from './lane-order.ts';
export { lanePairs, lanesOf, type Lane } from './lane-list.ts';
export { laneDifferences, laneTitle, nameLengths, type LaneDifference, type LaneNamed } from './lane-names.ts';
