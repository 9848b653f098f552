/** The circles of a graph (Tarjan's strongly connected components of two nodes or more), each sorted; `edges` maps a node to its targets. */
export function cyclesOf(edges) {
  const index = new Map();
  const low = new Map();
  const path = [];
  const onPath = new Set();
  const cycles = [];

  function visit(node) {
    index.set(node, index.size);
    low.set(node, index.get(node));
    path.push(node);
    onPath.add(node);
    for (const target of edges.get(node) ?? []) {
      if (!index.has(target)) visit(target);
      if (onPath.has(target)) low.set(node, Math.min(low.get(node), low.get(target)));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = path.splice(path.indexOf(node));
    for (const member of group) onPath.delete(member);
    if (group.length > 1) cycles.push(group.toSorted());
  }

  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return cycles;
}
