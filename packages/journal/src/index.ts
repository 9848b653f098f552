export { journalFolder } from './folder.ts';
export { openJournal } from './journal.ts';
export type {
  Finish,
  Intent,
  Journal,
  JournalQuery,
  NewIntent,
  SidecarEdge,
  StoredTarget,
  TrashEntry,
  TrashRow,
} from './types.ts';
