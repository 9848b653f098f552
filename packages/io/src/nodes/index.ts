export { damagedNodes, type DamagedState, statesWith } from './check.ts';
export { collectAfterRemoval, collectAfterSave, collectNodes } from './collect.ts';
export { hasNodes, isOurs, metaNumber, metaText, NODES_FORMAT, PRODUCT } from './format.ts';
export {
  readBodies,
  readShared,
  readKnownText,
  readText,
  readTogether,
  type StateRow,
  writeNodes,
  writeWhole,
} from './rows.ts';
export { cutText, type ReadText, readTextOf, shareText, shareValues, type SharedText } from './share-text.ts';
export { prepared } from './statements.ts';
export { damagedNodesIn, statesWithIn } from './postgres/check.ts';
export {
  collectIn,
  countRemoved,
  isAlone,
  isDueAfterRemoval,
  isDueAfterSave,
  removalsSql,
} from './postgres/collect.ts';
export { hasNodesIn, storeMetaIn } from './postgres/format.ts';
export { KnownNodes, NODES_EPOCH } from './postgres/known.ts';
export {
  columnsOf,
  giveIds,
  INSERT_NODES,
  NEW_ID,
  newIds,
  type NodeColumns,
  readBodiesFrom,
  readSharedFrom,
  readTextFrom,
  writeNodesTo,
  writeWholeTo,
} from './postgres/rows.ts';
