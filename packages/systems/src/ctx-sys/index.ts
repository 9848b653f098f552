export { stateText } from './facts.ts';
export { RESUME_ORDER } from './rows.ts';
export { FINAL } from './rules.ts';
export {
  checkNames,
  checkStep,
  deleteOlder,
  insertCheckpoint,
  openToSave,
  refusal,
  type CheckpointDatabase,
} from './save.ts';
export { ctxSysSystem } from './system.ts';
export { checkpointTables, OWN_APPLICATION_ID, projectTable, quoted, type CheckpointTable } from './tables.ts';
