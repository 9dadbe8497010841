import { resourceScreens } from '#/resource/screens';
import { platform } from './platform.resource';

/** Apart from the other screens of assets: only super administrators load it. */
export const platformPages = resourceScreens(platform);
