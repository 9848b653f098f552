import { useStoreLabel } from '../../lib/queries.ts';

/** The one name of a store on every screen; its id is for addresses alone. */
export function StoreLabel({ id }: { readonly id: string }) {
  return useStoreLabel(id);
}
