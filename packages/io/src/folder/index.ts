export { FolderIndex, type FolderFile, type FolderListing, type FolderReader } from './folder-index.ts';
