import { idFromSegment } from '@checkpoint-inspector/core';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { Shell } from '../features/shell/Shell.tsx';
import { NotFound, RouteError } from '../features/shell/RouteError.tsx';
import { idToParam } from '../lib/address.ts';
import { parseSearch, stringifySearch } from '../lib/search.ts';
import { compareSearch, tasksSearch, treeSearch, workbenchSearch } from './search.ts';
import { TasksRoute } from './TasksRoute.tsx';

interface Context {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/tasks', replace: true });
  },
});

/** The workbench is where most ways lead: the home page fetches it while it has nothing to do. */
export const WorkbenchPage = lazyRouteComponent(() => import('./workbench/WorkbenchRoute.tsx'), 'WorkbenchRoute');

const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: tasksSearch,
  component: TasksRoute,
});

/** A task's id as one path segment: the router encodes and decodes, the guard of `idToSegment` is ours. */
const taskParams = {
  parse: ({ store, task }: { store: string; task: string }) => ({ store, task: idFromSegment(task) }),
  stringify: ({ store, task }: { store: string; task: string }) => ({ store, task: idToParam(task) }),
};

const workbench = createRoute({
  getParentRoute: () => root,
  path: '/t/$store/$task',
  params: taskParams,
  validateSearch: workbenchSearch,
  component: WorkbenchPage,
});

const tree = createRoute({
  getParentRoute: () => root,
  path: '/t/$store/$task/tree',
  params: taskParams,
  validateSearch: treeSearch,
  component: lazyRouteComponent(() => import('./TreePage.tsx'), 'TreePage'),
});

const permalink = createRoute({
  getParentRoute: () => root,
  path: '/c/$store/$checkpoint',
  params: {
    parse: ({ store, checkpoint }) => ({ store, checkpoint: idFromSegment(checkpoint) }),
    stringify: ({ store, checkpoint }) => ({ store, checkpoint: idToParam(checkpoint) }),
  },
  component: lazyRouteComponent(() => import('./PermalinkRoute.tsx'), 'PermalinkRoute'),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('./CompareRoute.tsx'), 'CompareRoute'),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: '/activity',
  component: lazyRouteComponent(() => import('../features/activity/ActivityRoute.tsx'), 'ActivityRoute'),
});

const trash = createRoute({
  getParentRoute: () => root,
  path: '/trash',
  component: lazyRouteComponent(() => import('../features/activity/TrashRoute.tsx'), 'TrashRoute'),
});

const stores = createRoute({
  getParentRoute: () => root,
  path: '/stores',
  component: lazyRouteComponent(() => import('./StoresRoute.tsx'), 'StoresRoute'),
});

const routeTree = root.addChildren([home, tasks, workbench, tree, permalink, compare, activity, trash, stores]);

export function createAppRouter(client: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context: { client },
    parseSearch,
    stringifySearch,
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: NotFound,
    defaultPendingMs: 150,
    ...(history === undefined ? {} : { history }),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
