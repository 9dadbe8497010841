import { usualRoutes } from '#/resource/routes';

/** Providers are listed in a tab of the settings; the menu does not show them. */
export const openidRoutes = usualRoutes({
  name: 'OpenidProvider',
  path: '/settings/openid-providers',
  titles: 'nav:openid_*',
  screens: ['list', 'create', 'update'],
});

export const samlRoutes = usualRoutes({
  name: 'SamlProvider',
  path: '/settings/saml-providers',
  titles: 'nav:saml_*',
  screens: ['list', 'create', 'update'],
});

export const samlTab = '/settings?activeTab=saml';
export const openidTab = '/settings?activeTab=openid';
