import { basename, dirname } from 'node:path';

/**
 * The folder that the pipeline makes in a project.
 * @example join(project, CHECKPOINTS_FOLDER)
 */
export const CHECKPOINTS_FOLDER = '.rlm-act-checkpoints';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id that a file name stands for; `undefined` for files that the pipeline does not look at. */
export function idOfFile(name: string): string | undefined {
  return name.endsWith('.json') ? name.slice(0, -'.json'.length) : undefined;
}

/** True for ids as the pipeline makes them. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}

/** The project that a folder of checkpoints belongs to. */
export function projectOf(folder: string): string {
  return basename(folder) === CHECKPOINTS_FOLDER ? dirname(folder) : folder;
}

/** One project is one task, called by the name of its folder. */
export function taskOfFolder(folder: string): string {
  return basename(projectOf(folder)) || '/';
}
