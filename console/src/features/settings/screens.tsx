import { resourceScreens } from '#/resource/screens';
import { openidProvider } from './openid/openid.resource';
import { samlProvider } from './saml/saml.resource';

export const openidPages = resourceScreens(openidProvider);
export const samlPages = resourceScreens(samlProvider);
