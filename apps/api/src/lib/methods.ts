interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * Which methods a path takes, of the routes that name theirs.
 * @example methodsAt([{ method: 'GET', path: '/tasks/:id' }])('/tasks/a') // ['GET', 'HEAD']
 */
export function methodsAt(routes: readonly Route[]): (path: string) => readonly string[] {
  const named = routes.filter(({ method, path }) => method !== 'ALL' && !path.includes('*'));
  const patterns = named.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (path) => {
    const found = new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])));
    if (found.has('GET')) found.add('HEAD');
    return [...found].toSorted();
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', String.raw`\.`)));
  return new RegExp(`^${parts.join('/')}/?$`);
}
