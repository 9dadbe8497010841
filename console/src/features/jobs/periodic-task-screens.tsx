import { resourceScreens } from '#/resource/screens';
import { periodicTask } from './periodic-tasks/periodic-task.resource';

/** Apart from the other screens of jobs: only super administrators load it. */
export const periodicTaskPages = resourceScreens(periodicTask);
