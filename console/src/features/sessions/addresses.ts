import { usualRoutes } from '#/resource/routes';

/** Names, addresses and titles of the terminal screens, separate from the route records that load them. */
export const terminalRoutes = usualRoutes({
  name: 'Terminal',
  path: '/terminal/terminal',
  titles: 'nav:terminal_*',
  screens: ['list', 'update', 'detail'],
});
