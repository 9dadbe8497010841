import type { ResourceRoutes } from '#/resource/routes';

/** Names, addresses and titles of the terminals' screens, apart from the records that load them. */
export const terminalRoutes: ResourceRoutes = {
  names: { list: 'TerminalList', update: 'TerminalUpdate', detail: 'TerminalDetail' },
  paths: {
    list: '/terminal/terminal',
    update: '/terminal/terminal/$id/update',
    detail: '/terminal/terminal/$id',
  },
  titles: { list: 'nav:terminal_list', update: 'nav:terminal_update', detail: 'nav:terminal_detail' },
};
