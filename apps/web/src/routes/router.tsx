import { idFromSegment } from '@checkpoint-inspector/core';
import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyValidator,
  type Constrain,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type DefaultValidator,
  redirect,
  type RouterHistory,
} from '@tanstack/react-router';
import { Shell } from '../features/shell/Shell.tsx';
import { NotFound, RouteError } from '../features/shell/RouteError.tsx';
import { idToParam, type TaskPlace } from '../lib/address.ts';
import {
  compareSearch,
  editSearch,
  errorsSearch,
  parseSearch,
  runsSearch,
  searchSearch,
  stringifySearch,
  tasksSearch,
  treeSearch,
  workbenchSearch,
} from '../lib/search.ts';
import { lazy, type Load } from './lazy.tsx';
import { TasksRoute } from './TasksRoute.tsx';

interface Context {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Shell, notFoundComponent: NotFound });

const getParentRoute = () => root;

/** A page without anything in its address but the path. */
const page = <const Path extends string, Name extends string>(path: Path, name: Name, load: Load<Name>) =>
  createRoute({ getParentRoute, path, component: lazy(load, name) });

/** A page whose address holds more, as its schema reads it. */
const searched = <const Path extends string, Search, Name extends string>(
  path: Path,
  validateSearch: Constrain<Search, AnyValidator, DefaultValidator>,
  name: Name,
  load: Load<Name>,
) => createRoute({ getParentRoute, path, validateSearch, component: lazy(load, name) });

/** A task's id as one path segment: the router encodes and decodes, the guard of `idToSegment` is ours. */
const params = {
  parse: ({ store, task }: TaskPlace) => ({ store, task: idFromSegment(task) }),
  stringify: ({ store, task }: TaskPlace) => ({ store, task: idToParam(task) }),
};

const home = createRoute({
  getParentRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/tasks', replace: true });
  },
});

/** The workbench is where most ways lead: the home page fetches it while it has nothing to do. */
export const WorkbenchPage = lazy(() => import('./workbench/WorkbenchRoute.tsx'), 'WorkbenchRoute');

export const TreePage = lazy(() => import('../features/tree/TreeRoute.tsx'), 'TreePage');

const EditPage = lazy(() => import('../features/edit/EditRoute.tsx'), 'EditRoute');

const permalink = createRoute({
  getParentRoute,
  path: '/c/$store/$checkpoint',
  params: {
    parse: ({ store, checkpoint }) => ({ store, checkpoint: idFromSegment(checkpoint) }),
    stringify: ({ store, checkpoint }) => ({ store, checkpoint: idToParam(checkpoint) }),
  },
  component: lazy(() => import('./PermalinkRoute.tsx'), 'PermalinkRoute'),
});

const tasks = createRoute({ getParentRoute, path: '/tasks', validateSearch: tasksSearch, component: TasksRoute });
const workbench = createRoute({
  getParentRoute,
  path: '/t/$store/$task',
  params,
  validateSearch: workbenchSearch,
  component: WorkbenchPage,
});
const tree = createRoute({
  getParentRoute,
  path: '/t/$store/$task/tree',
  params,
  validateSearch: treeSearch,
  component: TreePage,
});
const edit = createRoute({
  getParentRoute,
  path: '/t/$store/$task/edit',
  params,
  validateSearch: editSearch,
  component: EditPage,
});
const compare = searched('/compare', compareSearch, 'CompareRoute', () => import('./CompareRoute.tsx'));
const runs = searched('/compare/runs', runsSearch, 'RunsRoute', () => import('../features/runs/RunsRoute.tsx'));
const search = searched('/search', searchSearch, 'SearchRoute', () => import('../features/search/SearchRoute.tsx'));
const errors = searched('/errors', errorsSearch, 'ErrorsRoute', () => import('../features/errors/ErrorsRoute.tsx'));
const activity = page('/activity', 'ActivityRoute', () => import('../features/activity/ActivityRoute.tsx'));
const agents = page('/agents', 'AgentsRoute', () => import('../features/activity/AgentsRoute.tsx'));
const trash = page('/trash', 'TrashRoute', () => import('../features/activity/TrashRoute.tsx'));
const storage = page('/storage', 'StorageRoute', () => import('../features/storage/StorageRoute.tsx'));
const stores = page('/stores', 'StoresRoute', () => import('./StoresRoute.tsx'));
const settings = page('/settings', 'SettingsRoute', () => import('../features/settings/SettingsRoute.tsx'));
const demo = page('/demo', 'DemoRoute', () => import('../features/presenter/DemoRoute.tsx'));
const demoAsk = page('/demo/ask', 'AskRoute', () => import('../features/presenter/AskRoute.tsx'));
const inbox = page('/inbox', 'InboxRoute', () => import('../features/inbox/InboxRoute.tsx'));
const proposal = page('/proposals/$id', 'ProposalRoute', () => import('../features/proposals/ProposalRoute.tsx'));
const usage = page('/usage', 'UsageRoute', () => import('../features/usage/UsageRoute.tsx'));

const routeTree = root.addChildren([
  home,
  tasks,
  workbench,
  tree,
  edit,
  permalink,
  compare,
  runs,
  search,
  errors,
  activity,
  agents,
  trash,
  storage,
  stores,
  settings,
  demo,
  demoAsk,
  inbox,
  proposal,
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
