import { resourceScreens } from '#/resource/screens';
import { serviceAccount } from './service-account.resource';
import { serviceKey } from './service-key.resource';

export const serviceAccountPages = resourceScreens(serviceAccount);
export const serviceKeyPages = resourceScreens(serviceKey);
