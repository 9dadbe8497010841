import { resourceScreens } from '#/resource/screens';
import { execution } from './execution.resource';
import { task } from './task.resource';
import { version } from './version.resource';

export const taskPages = resourceScreens(task);
export const versionPages = resourceScreens(version);
export const executionPages = resourceScreens(execution);
