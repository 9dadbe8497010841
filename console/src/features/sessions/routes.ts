import { fileManagerRecord } from '#/domain/web-files/record';
import { webTerminalRecord } from '#/domain/web-terminal/record';
import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { terminalRoutes } from './addresses';

const TEXTS = ['sessions', 'resource', 'transfers', 'commands'] as const;
const DETAIL_TEXTS = [...TEXTS, 'recording-hits'] as const;

const terminalScreens: ResourceScreens = {
  ...terminalRoutes,
  permission: 'super',
  texts: ['sessions'],
  find: { api: 'terminal/terminals/', name: 'name', detail: 'remote_addr' },
  load: async () => (await import('./screens')).terminalPages,
};

export const sessionsSection: Section = {
  id: 'sessions',
  title: 'nav:sessions',
  icon: 'sessions',
  path: '/terminal',
  order: 50,
  routes: [
    {
      name: 'SessionList',
      path: '/terminal/session',
      title: 'nav:session_list',
      permission: 'audit',
      texts: TEXTS,
      load: () => import('./SessionListPage').then((module) => module.SessionListPage),
    },
    {
      name: 'SessionDetail',
      path: '/terminal/sessions/$id',
      title: 'nav:session_detail',
      permission: 'audit',
      hidden: true,
      parent: 'SessionList',
      texts: DETAIL_TEXTS,
      load: () => import('./SessionDetailPage').then((module) => module.SessionDetailPage),
    },
    {
      name: 'CommandList',
      path: '/terminal/command',
      title: 'nav:command_list',
      permission: 'audit',
      texts: ['sessions', 'resource', 'commands'],
      load: async () => (await import('./CommandListPage')).CommandListPage,
    },
    {
      name: 'RecordingSearch',
      path: '/terminal/search',
      title: 'nav:search_recordings',
      permission: 'audit',
      texts: ['sessions', 'resource', 'recording-hits'],
      load: async () => (await import('./search/SearchPage')).SearchPage,
    },
    webTerminalRecord('WebTerminal', '/terminal/web-terminal'),
    fileManagerRecord('FileManager', '/terminal/file-manager'),
    ...resourceRecords(terminalScreens),
  ],
};
