/** Answers of the HTTP surface, as the typed client gives them. */
import type { api } from './api.ts';

type Api = typeof api;
type Answer<Call extends keyof Api> = Api[Call] extends (...asked: never[]) => Promise<infer Value> ? Value : never;

/** A row of the history: with one line on what changed since its parent, and how many differences there are. */
export type CheckpointRow = Answer<'checkpoints'>['items'][number];
export type StoreFailure = Answer<'tasks'>['failures'][number];
export type DiffAnswer = Answer<'diff'>;
/** What an export will hold, and the secrets it will mask, by shape. */
export type ExportPreview = Answer<'exportPreview'>;
export type TrashItem = Answer<'trash'>['items'][number];
/** Why a checkpoint that a link names is not there. */
export type GoneAnswer = Answer<'gone'>;
/** What is kept beside a checkpoint. */
export type BesideAnswer = Answer<'beside'>;
/** What stores, journal and trash take up. */
export type Storage = Answer<'storage'>;
export type TrashSummary = Answer<'trashSummary'>;
export type PurgePlan = Answer<'planPurge'>;
export type SearchAnswer = Answer<'search'>;
export type SearchItem = SearchAnswer['items'][number];
export type SearchCoverage = SearchAnswer['coverage'][number];
