import { InspectorError, storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { DESCRIPTION_FILE, openDescription } from '@checkpoint-inspector/systems/described';
import { propose, type Proposal } from '@checkpoint-inspector/systems/described/propose';
import { resolveTarget } from '@checkpoint-inspector/systems/registry';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { print, printable, size, table, type Output } from '../output.ts';
import { NAME, type Verbs } from '../verbs.ts';

/** So many tasks and checkpoints are shown of what the description lists. */
const [TASKS, ROWS] = [5, 8];

export function addMap(verbs: Verbs): void {
  verbs
    .add('map <store>', {
      group: 'open',
      about: `propose how a store of your own is read: a ${DESCRIPTION_FILE}, and what it would list`,
      examples: ['map ./agent.db', 'map ./runs', 'map ./agent.db --write'],
    })
    .option('--write', `save it as ${DESCRIPTION_FILE} beside the store, unless there is one`)
    .option('--json', 'print JSON')
    .action(async (store: string, { write = false }: { readonly write?: boolean }) => {
      const proposal = await propose(await resolveTarget(store));
      const listed = await listing(proposal, store);
      if (write) await save(proposal, verbs.output);
      print(verbs.output, { description: proposal.text, ...listed }, () => lines(verbs.output, proposal, listed));
    });
}

async function save({ folder, text }: Proposal, output: Output): Promise<void> {
  const path = join(folder, DESCRIPTION_FILE);
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw new InspectorError('invalid_input', exists ? `${path} exists already.` : `${path} can't be written.`, {
      cause,
    });
  }
  output.note(`Saved as ${path}.`);
}

type Listed = Awaited<ReturnType<typeof listing>>;

async function listing({ text, folder }: Proposal, location: string) {
  const sources = await openDescription(text, folder, {
    label: 'proposed',
    location,
    nameStore: () => storeId('proposed'),
  });
  try {
    const [source] = sources;
    if (source === undefined) return { tasks: [], checkpoints: [] };
    const { items: tasks } = await source.tasks({ limit: TASKS });
    return { tasks, checkpoints: await newest(source, tasks[0]?.id) };
  } finally {
    for (const source of sources) await source.close?.();
  }
}

const newest = async (source: CheckpointSource, task: string | undefined) =>
  task === undefined ? [] : (await source.checkpoints(task, { limit: ROWS })).items;

function lines({ terminal }: Output, { text, folder }: Proposal, { tasks, checkpoints }: Listed): readonly string[] {
  return [
    `# ${DESCRIPTION_FILE}, for ${printable(folder)}`,
    ...text.trimEnd().split('\n').map(printable),
    '',
    ...table(
      ['TASK', 'CHECKPOINTS', 'UPDATED'],
      tasks.map((task) => [task.title, String(task.checkpointCount), task.updatedAt ?? '']),
      terminal,
    ),
    '',
    ...table(
      ['CHECKPOINT', 'TIME', 'STATUS', 'SIZE', 'NAME'],
      checkpoints.map((one) => [
        one.id,
        one.createdAt ?? one.createdAtText ?? '',
        one.status,
        size(one.sizeBytes),
        one.problem?.message ?? one.description ?? '',
      ]),
      terminal,
    ),
    '',
    `Right? Save it with --write, then: ${NAME} ${printable(folder)}`,
  ];
}
