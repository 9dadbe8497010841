import { resourceScreens } from '#/resource/screens';
import { group } from './group.resource';
import { user } from './user.resource';

export const userPages = resourceScreens(user);
export const groupPages = resourceScreens(group);
