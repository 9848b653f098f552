import type { Unwatch } from '@checkpoint-inspector/core';
import type { ChangeService } from '@checkpoint-inspector/changes';
import type { StoreService } from '@checkpoint-inspector/inspector';
import type { EventHub } from './hub.ts';

/** Sends what happens in stores and changes to the readers of the hub. */
export function connectEvents(hub: EventHub, from: { stores: StoreService; changes: ChangeService }): Unwatch {
  const unwatchStores = from.stores.onEvent((event) => {
    if (event.kind === 'stores') return hub.publish('stores', {});
    hub.publish('change', { store: event.store, ...(event.task === undefined ? {} : { task: event.task }) });
  });
  const unwatchChanges = from.changes.onChange(({ store, task, receipt }) => {
    from.stores.touch(store, task);
    hub.publish('receipt', { store, task, id: receipt.id });
  });
  return () => {
    unwatchStores();
    unwatchChanges();
  };
}
