import type { Permission } from '#/lib/permissions';
import type { RouteRecord } from '#/lib/routes';

/** Menu entry of the file manager, which opens in a tab of its own: uploads go on beside the console. */
export function fileManagerRecord(name: string, path: string, permission?: Permission): RouteRecord {
  return {
    name,
    path,
    external: '/ui/files/',
    title: 'nav:files',
    permission,
    texts: [],
    load: async () => (await import('./ToFileManager')).ToFileManager,
  };
}
