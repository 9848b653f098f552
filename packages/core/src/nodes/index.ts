export { diffNodes } from './diff.ts';
export { type NodePart, partOfNodes, type PartRange, valuesOfNodes } from './part.ts';
export { answerNodes, answerNodesFrom, type Bodies, type NodeLimits, type NodeWork } from './reading.ts';
export { share, type ShareOptions, type Shared } from './share.ts';
export { bodyOf, type Nodes, nodesOf, refsIn, sharedOf, textOf } from './text.ts';
export { type FreshNode, type Hash, KIND, type NodeBody, type NodeKind, type SharedState } from './types.ts';
export { valuesOf, valuesOfState } from './input.ts';
export { KnownTexts } from './known-texts.ts';
