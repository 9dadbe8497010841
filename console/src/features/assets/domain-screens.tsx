import { resourceScreens } from '#/resource/screens';
import { domain } from './domain.resource';
import { gateway } from './gateway.resource';

export const domainPages = resourceScreens(domain);
export const gatewayPages = resourceScreens(gateway);
