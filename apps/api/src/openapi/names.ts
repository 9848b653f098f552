/** What each operation is called, and under which heading it is listed. */
const NAMES: Readonly<Record<string, readonly [tag: string, operationId: string]>> = {
  'get /status': ['Server', 'getStatus'],
  'get /metrics': ['Server', 'getMetrics'],
  'get /events': ['Server', 'streamEvents'],
  'post /session': ['Server', 'exchangeCode'],
  'post /demo/reset': ['Server', 'resetDemo'],
  'post /demo/scene': ['Server', 'showDemoScene'],
  'get /stores': ['Stores', 'listStores'],
  'post /stores': ['Stores', 'openStore'],
  'delete /stores/{store}': ['Stores', 'closeStore'],
  'post /stores/{store}/unlock': ['Stores', 'unlockStore'],
  'get /storage': ['Stores', 'getStorage'],
  'get /tasks': ['Tasks', 'listTasks'],
  'get /stores/{store}/tasks/{task}': ['Tasks', 'getTask'],
  'get /stores/{store}/tasks/{task}/tree': ['Tasks', 'getTree'],
  'get /stores/{store}/tasks/{task}/tree/columns': ['Tasks', 'getTreeColumns'],
  'get /stores/{store}/tasks/{task}/history': ['Tasks', 'streamHistory'],
  'get /stores/{store}/tasks/{task}/checkpoints': ['Checkpoints', 'listCheckpoints'],
  'get /stores/{store}/checkpoints': ['Checkpoints', 'findCheckpoints'],
  'get /stores/{store}/checkpoints/{id}': ['Checkpoints', 'getCheckpoint'],
  'get /stores/{store}/checkpoints/{id}/state': ['Checkpoints', 'getState'],
  'get /stores/{store}/checkpoints/{id}/state/find': ['Checkpoints', 'findInState'],
  'get /stores/{store}/checkpoints/{id}/state/value': ['Checkpoints', 'getStateValue'],
  'get /stores/{store}/checkpoints/{id}/raw': ['Checkpoints', 'getRaw'],
  'get /stores/{store}/checkpoints/{id}/beside': ['Checkpoints', 'getBeside'],
  'get /stores/{store}/gone': ['Checkpoints', 'whereIsCheckpoint'],
  'get /diff': ['Checkpoints', 'getDiff'],
  'delete /stores/{store}/checkpoints/{id}': ['Changes', 'deleteCheckpoint'],
  'post /stores/{store}/checkpoints/{id}/restore': ['Changes', 'restoreCheckpoint'],
  'post /plans': ['Changes', 'createPlan'],
  'get /plans/{id}/items': ['Changes', 'listPlanItems'],
  'post /plans/{id}/apply': ['Changes', 'applyPlan'],
  'get /activity': ['Changes', 'listReceipts'],
  'get /receipts/{id}': ['Changes', 'getReceipt'],
  'post /receipts/{id}/undo': ['Changes', 'undoReceipt'],
  'get /trash': ['Trash', 'listTrash'],
  'get /trash/summary': ['Trash', 'getTrashSummary'],
  'post /trash/plans': ['Trash', 'createPurgePlan'],
  'post /trash/purge': ['Trash', 'purgeTrash'],
  'put /trash/settings': ['Trash', 'setTrashSettings'],
  'get /search': ['Find', 'search'],
  'get /errors': ['Find', 'listErrors'],
  'get /inbox': ['Find', 'listInbox'],
  'get /usage': ['Find', 'getUsage'],
  'get /stores/{store}/annotations': ['Labels and notes', 'listAnnotations'],
  'get /stores/{store}/checkpoints/{id}/annotations': ['Labels and notes', 'getAnnotation'],
  'put /stores/{store}/checkpoints/{id}/labels/{label}': ['Labels and notes', 'addLabel'],
  'delete /stores/{store}/checkpoints/{id}/labels/{label}': ['Labels and notes', 'removeLabel'],
  'put /stores/{store}/checkpoints/{id}/note': ['Labels and notes', 'setNote'],
  'post /export': ['Export', 'exportTask'],
  'post /export/preview': ['Export', 'previewExport'],
};

/** In the order of the documentation. */
export const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Stores', 'The open stores.'],
  ['Tasks', 'Series of checkpoints, and how they branch.'],
  ['Checkpoints', 'Checkpoints, their states, and the differences between two.'],
  ['Find', 'Search, failures, questions to people, and usage over all open stores.'],
  ['Changes', 'Plan a change, apply it, undo it.'],
  ['Trash', 'What was deleted and can come back.'],
  ['Labels and notes', 'Kept in the journal, never in a store.'],
  ['Export', 'A task as a file.'],
  ['Server', 'This server itself.'],
  ['More', 'Everything else.'],
];

/** A route that is not listed here gets a name made of its method and path. */
export function namesOf(
  method: string,
  path: string,
): { readonly tags: readonly string[]; readonly operationId: string } {
  const [tag, operationId] = NAMES[`${method} ${path}`] ?? ['More', nameMadeOf(method, path)];
  return { tags: [tag], operationId };
}

function nameMadeOf(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z0-9]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
