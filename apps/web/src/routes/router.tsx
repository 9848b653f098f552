import { idFromSegment } from '@checkpoint-inspector/core';
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import { Shell } from '../features/shell/Shell.tsx';
import { NotFound, RouteError } from '../features/shell/Unauthorised.tsx';
import { idToParam } from '../lib/address.ts';
import {
  compareSearch,
  editSearch,
  errorsSearch,
  parseSearch,
  searchSearch,
  stringifySearch,
  tasksSearch,
  treeSearch,
  workbenchSearch,
} from '../lib/search.ts';
import { TasksRoute } from './TasksRoute.tsx';

interface Context {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Shell, notFoundComponent: NotFound });

/** A page without anything in its address but the path. */
const page = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

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

export const TreePage = lazyRouteComponent(() => import('../features/tree/TreeRoute.tsx'), 'TreePage');

const tree = createRoute({
  getParentRoute: () => root,
  path: '/t/$store/$task/tree',
  params: taskParams,
  validateSearch: treeSearch,
  component: TreePage,
});

const edit = createRoute({
  getParentRoute: () => root,
  path: '/t/$store/$task/edit',
  params: taskParams,
  validateSearch: editSearch,
  component: lazyRouteComponent(() => import('../features/edit/EditRoute.tsx'), 'EditRoute'),
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

const activity = page(
  '/activity',
  lazyRouteComponent(() => import('../features/activity/ActivityRoute.tsx'), 'ActivityRoute'),
);
const trash = page(
  '/trash',
  lazyRouteComponent(() => import('../features/activity/TrashRoute.tsx'), 'TrashRoute'),
);
const storage = page(
  '/storage',
  lazyRouteComponent(() => import('../features/storage/StorageRoute.tsx'), 'StorageRoute'),
);
const stores = page(
  '/stores',
  lazyRouteComponent(() => import('./StoresRoute.tsx'), 'StoresRoute'),
);
const settings = page(
  '/settings',
  lazyRouteComponent(() => import('../features/settings/SettingsRoute.tsx'), 'SettingsRoute'),
);
const demo = page(
  '/demo',
  lazyRouteComponent(() => import('../features/presenter/AskRoute.tsx'), 'DemoRoute'),
);
const demoAsk = page(
  '/demo/ask',
  lazyRouteComponent(() => import('../features/presenter/AskRoute.tsx'), 'AskRoute'),
);
const errors = createRoute({
  getParentRoute: () => root,
  path: '/errors',
  validateSearch: errorsSearch,
  component: lazyRouteComponent(() => import('../features/errors/ErrorsRoute.tsx'), 'ErrorsRoute'),
});

const inbox = page(
  '/inbox',
  lazyRouteComponent(() => import('../features/inbox/InboxRoute.tsx'), 'InboxRoute'),
);
const usage = page(
  '/usage',
  lazyRouteComponent(() => import('../features/usage/UsageRoute.tsx'), 'UsageRoute'),
);
const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: searchSearch,
  component: lazyRouteComponent(() => import('../features/search/SearchRoute.tsx'), 'SearchRoute'),
});

const routeTree = root.addChildren([
  home,
  tasks,
  workbench,
  tree,
  edit,
  permalink,
  compare,
  search,
  activity,
  trash,
  storage,
  stores,
  settings,
  demo,
  demoAsk,
  errors,
  inbox,
  usage,
]);

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
