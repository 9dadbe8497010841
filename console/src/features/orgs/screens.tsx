import { resourceScreens } from '#/resource/screens';
import { organization } from './organization.resource';

export const organizationPages = resourceScreens(organization);
