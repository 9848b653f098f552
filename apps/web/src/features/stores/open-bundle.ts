import type { QueryClient } from '@tanstack/react-query';
import type { UseNavigateResult } from '@tanstack/react-router';
import { showToast } from '../../components/index.ts';
import { InspectorError } from '@checkpoint-inspector/core';
import { api } from '../../lib/api.ts';
import { refresh } from '../../lib/refresh.ts';

/** Opens a bundle that is given as a file, and shows its tasks. */
export async function openBundle(file: File, client: QueryClient, navigate: UseNavigateResult<string>): Promise<void> {
  try {
    const { items } = await api.openBundle(file);
    await refresh(client);
    const [info] = items;
    if (info === undefined) return;
    showToast({ title: `${info.label} is open. It is only read.` });
    await navigate({ to: '/tasks', search: { store: [info.id] } });
  } catch (error) {
    showToast({ title: `${file.name} could not be opened. ${InspectorError.from(error).message}` });
  }
}
