export { damagedNodes, type DamagedState, statesWith } from './check.ts';
export { collectAfterRemoval, collectAfterSave, collectNodes } from './collect.ts';
export { hasNodes, isOurs, metaNumber, metaText, NODES_FORMAT } from './format.ts';
export { readShared, readText, readTogether, sha256Text, type StateRow, writeNodes, writeWhole } from './rows.ts';
export { type ReadText, shareText, shareValues, type SharedText } from './share-text.ts';
export { prepared } from './statements.ts';
