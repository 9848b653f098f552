export { bundle, previewExport } from './bundle.ts';
export { gather } from './gather.ts';
export { report } from './html.ts';
export { treeText } from './tree-text.ts';
export type { MaskedShape } from './redact.ts';
export type { ExportOptions, ExportPreview, Subject } from './types.ts';
