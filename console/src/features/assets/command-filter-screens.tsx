import { resourceScreens } from '#/resource/screens';
import { commandFilter } from './command-filters/command-filter.resource';

export const commandFilterPages = resourceScreens(commandFilter);
