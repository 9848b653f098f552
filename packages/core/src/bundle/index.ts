export {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleCheckpoint,
  type BundleHead,
  type BundleSaved,
  type BundleState,
  type BundleTask,
} from './format.ts';
export { BundleParts, type ReadBundle } from './read.ts';
export { bundleInfo, BundleSource } from './source.ts';
