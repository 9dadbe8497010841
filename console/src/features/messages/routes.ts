import type { Section } from '#/lib/routes';
import { paths } from '#/lib/paths';

export const messagesSection: Section = {
  id: 'messages',
  title: 'nav:messages',
  icon: 'messages',
  order: 75,
  path: '/notifications',
  routes: [
    {
      name: 'SiteMessageList',
      path: paths.messages,
      title: 'nav:messages',
      permission: 'any',
      // Opened by the bell, so the menu does not list it.
      hidden: true,
      texts: ['resource', 'messages'],
      load: () => import('./MessagesPage').then((module) => module.MessagesPage),
    },
  ],
};
