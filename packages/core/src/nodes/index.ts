export { diffNodes, type ReadNodes } from './diff.ts';
export { share, type ShareOptions, type Shared } from './share.ts';
export { bodyOf, type Nodes, refsIn, sharedOf, textOf } from './text.ts';
export { type FreshNode, type Hash, KIND, type NodeBody, type NodeKind, type SharedState } from './types.ts';
export { valuesOf } from './input.ts';
