import type { Section } from '#/lib/routes';

export const profileSection: Section = {
  id: 'profile',
  title: 'nav:profile',
  icon: 'profile',
  order: 80,
  routes: [
    {
      name: 'UserProfile',
      path: '/users/profile',
      title: 'nav:profile',
      permission: 'any',
      hidden: true,
      texts: ['resource', 'credentials', 'profile', 'mfa', 'passkeys', 'external', 'ssh-lines'],
      load: () => import('./ProfilePage').then((module) => module.ProfilePage),
    },
    {
      name: 'PersonalInformationImprovement',
      path: '/users/first-login/personal-information-improvement',
      title: 'nav:first_login',
      permission: 'any',
      hidden: true,
      texts: ['resource', 'credentials', 'profile'],
      load: () => import('./FirstLoginPage').then((module) => module.FirstLoginPage),
    },
    {
      name: 'UserGuide',
      path: '/users/first-login/guide',
      title: 'nav:user_guide',
      permission: 'any',
      hidden: true,
      texts: ['resource', 'credentials', 'profile'],
      load: () => import('./GuidePage').then((module) => module.GuidePage),
    },
  ],
};
