import type { Permission } from '#/lib/permissions';
import type { RouteRecord } from '#/lib/routes';

/** Menu entry of the web terminal, which opens in a tab of its own: the session survives what is done in the console. */
export function webTerminalRecord(name: string, path: string, permission?: Permission): RouteRecord {
  return {
    name,
    path,
    external: '/ui/connect',
    title: 'nav:connect',
    permission,
    texts: [],
    load: async () => (await import('./ToWebTerminal')).ToWebTerminal,
  };
}
