export { brief } from './brief.ts';
export { marksIn, unreadableLine } from './catalog.ts';
export { joined } from './join.ts';
export { firstTold, LineSplitter } from './lines.ts';
export * from './contract.ts';
export { LogSource } from './source.ts';
export { valueIn } from './values.ts';
