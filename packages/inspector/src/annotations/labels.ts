import { refKey } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource } from '@checkpoint-inspector/core';
import { placeOf } from '@checkpoint-inspector/changes';
import type { Annotations } from '@checkpoint-inspector/changes';

/**
 * The same source, with the labels that people gave its checkpoints behind those that its system gives them, each
 * once. They are read anew for every page: a label may come from another process.
 * @param kept absent while no journal is open
 */
export function withLabels(source: CheckpointSource, kept: () => Annotations | undefined): CheckpointSource {
  const checkpoints: CheckpointSource['checkpoints'] = async (task, query) => {
    const page = await source.checkpoints(task, query);
    const given = kept()?.ofTask(placeOf(source), task) ?? [];
    const labels = new Map(given.map((one) => [refKey(one.ref), one.labels]));
    return { ...page, items: page.items.map((meta) => labelled(meta, labels)) };
  };
  const meta: CheckpointSource['meta'] = async (ref, options) => {
    const found = await source.meta(ref, options);
    const given = found && kept()?.ofTask(placeOf(source), ref.task);
    return found && labelled(found, new Map(given?.map((one) => [refKey(one.ref), one.labels])));
  };
  return new Proxy(source, {
    get(target, key) {
      if (key === 'checkpoints') return checkpoints;
      if (key === 'meta') return meta;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function labelled(meta: CheckpointMeta, given: ReadonlyMap<string, readonly string[]>): CheckpointMeta {
  const own = given.get(refKey({ ...meta, task: meta.taskId }));
  return own === undefined || own.length === 0 ? meta : { ...meta, labels: [...new Set([...meta.labels, ...own])] };
}
