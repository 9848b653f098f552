import { getRouteApi } from '@tanstack/react-router';
import { TreeRoute } from '../features/tree/TreeRoute.tsx';

const route = getRouteApi('/t/$store/$task/tree');

/** The fork tree; its places are kept in the address. Loaded on demand with the graph library. */
export function TreePage() {
  const { store, task } = route.useParams();
  const { focus, expand } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TreeRoute
      store={store}
      task={task}
      focus={focus}
      expand={expand}
      onFocus={(next) => void navigate({ search: (before) => ({ ...before, focus: next }), replace: true })}
      onExpand={(next) => void navigate({ search: (before) => ({ ...before, expand: [...next] }), replace: true })}
    />
  );
}
