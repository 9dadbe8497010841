import { resourceScreens } from '#/resource/screens';
import { openidProvider } from './openid/openid.resource';

export const openidPages = resourceScreens(openidProvider);
