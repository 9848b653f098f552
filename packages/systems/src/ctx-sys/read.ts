import { InspectorError, sortedPage, type CheckpointRef } from '@checkpoint-inspector/core';
import { realPath, sqliteSource, type SqliteSourceOptions } from '@checkpoint-inspector/io';
import { toLineage, toMetas, toTask } from './meta.ts';
import { notInSession } from './plan-parts.ts';
import { planChange } from './plan.ts';
import { Project } from './project.ts';
import { bySave, type Session } from './rows.ts';
import { evictedByNextSave, KEPT } from './rules.ts';

export interface SourceOptions extends SqliteSourceOptions {
  readonly table: string;
}

const NO_NEW_SESSION = 'Sessions are rows in another table here, and a copy would need a new row there.';

/** The checkpoints of one project. @throws InspectorError no_store | unreadable | busy */
export function openCtxSys({ id, label, location, path, table, now = () => new Date() }: SourceOptions) {
  const metasOf = async (project: Project, task: string) => {
    const look = await project.look(task);
    return look ? toMetas(id, look, now().getTime()) : [];
  };
  return sqliteSource<Project>(path, {
    read: (database) => new Project(database, table),
    info: ({ table: { brokenKey, boundSession } }, changeable) => {
      const change = changeable(
        brokenKey &&
          `The table refers to "${brokenKey}", which this database doesn't have, so SQLite rejects any change.`,
      );
      const fork = change === true && boundSession ? NO_NEW_SESSION : change;
      return {
        id,
        system: 'ctx-sys',
        label,
        location,
        identity: realPath(path),
        retention: `Keeps ${KEPT} of a session; after each save, those with the lowest steps are removed.`,
        latestRule: 'highest step; for equal steps, the newest time, then the row saved last',
        volatilePaths: ['$.results.*.completedAt', '$.results.*.durationMs', '$.lastError.timestamp'],
        indexed: { n: 1, of: 1 },
        capabilities: { restore: change, fork, edit: change, delete: change },
      };
    },
    tasks: async (project, { text = '', limit, cursor }) => {
      const wanted = text.toLowerCase();
      const sessions = project.sessions().filter((session) => session.id.toLowerCase().includes(wanted));
      const page = sortedPage<Session>(sessions, {
        limit,
        cursor,
        placeOf: (session) => ['task', session.id, session.updatedAt ?? ''],
        isAfter: (session, [, id = '', updatedAt = '']) => bySave(session, { id, updatedAt }) > 0,
      });
      const looks = [];
      for (const session of page.items) looks.push(await project.look(session.id));
      return { ...page, items: looks.flatMap((look) => (look ? toTask(id, look, now().getTime()) : [])) };
    },
    checkpoints: async (project, task, { limit, cursor, around }) => {
      const metas = await metasOf(project, task);
      const at = around && metas.findIndex((meta) => isMeta(meta, around));
      if (around && at === -1) throw notInSession(around);
      return sortedPage(metas, {
        limit,
        cursor,
        around: at,
        placeOf: ({ id, stepIndex, createdAtText = '' }) => [id, String(stepIndex ?? ''), createdAtText],
        isAfter: ({ stepIndex = 0, createdAtText = '' }, [, step, time = '']) =>
          stepIndex < Number(step) || (stepIndex === Number(step) && createdAtText <= time),
      });
    },
    lineage: async (project, task) => toLineage(await metasOf(project, task)),
    meta: async (project, ref) => (await metasOf(project, ref.task)).find((meta) => isMeta(meta, ref)),
    state: async (project, ref) => {
      const row = project.row(ref);
      const text = row && (await project.text(row));
      return text === undefined ? undefined : { text };
    },
    /** The column `state_json`. */
    raw: (project, ref) => {
      const row = project.row(ref);
      return row && project.bytes(row);
    },
    latest: async (project, task) => (await project.look(task))?.latest ?? { basis: 'none' },
    find: (project, wanted) =>
      project
        .sessions()
        .flatMap(({ id: task, rows }) => rows.filter((row) => row.id === wanted).map(() => ({ task, id: wanted }))),
    evictedNext: (project, task) =>
      evictedByNextSave(project.session(task)?.rows ?? []).map(({ id }) => ({ task, id })),
    plan: async (project, request, { capabilities }) => {
      const can = capabilities[request.kind];
      if (can !== true) throw new InspectorError('unsupported', can);
      return planChange({ store: id, path, project, now: now() }, request);
    },
  });
}

const isMeta = (meta: { readonly id: string; readonly taskId: string }, ref: CheckpointRef): boolean =>
  meta.id === ref.id && meta.taskId === ref.task && !ref.namespace;
