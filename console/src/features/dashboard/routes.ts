import type { Section } from '#/lib/routes';

export const dashboardSection: Section = {
  id: 'dashboard',
  title: 'nav:dashboard',
  icon: 'dashboard',
  order: 6,
  routes: [
    {
      name: 'Dashboard',
      path: '/dashboard',
      title: 'nav:dashboard',
      permission: 'audit',
      texts: ['dashboard'],
      load: () => import('./DashboardPage').then((module) => module.DashboardPage),
    },
  ],
};
