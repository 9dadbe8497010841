import type { RouteRecord } from '#/lib/routes';
import { resourceRecords } from '#/resource/routes';
import { type StorageKind, storageRoutes } from './addresses';

function recordsOf(kind: StorageKind): readonly RouteRecord[] {
  return resourceRecords({
    ...storageRoutes[kind],
    permission: 'super',
    texts: ['storages'],
    load: async () => (await import('./screens')).storagePages[kind],
  });
}

/** One list of both kinds, and the forms of each. */
export const storageRecords: readonly RouteRecord[] = [
  ...recordsOf('replay'),
  ...recordsOf('command').filter((record) => record.hidden),
];
