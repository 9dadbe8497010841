import { type ResourceRoutes, usualRoutes } from '#/resource/routes';

/** Names, addresses and titles of the screens of the job center. */
export const taskRoutes = usualRoutes({ name: 'Task', path: '/ops/tasks', titles: 'nav:task_*' });

/** Versions are listed on the page of their task. */
export const versionRoutes: ResourceRoutes = {
  names: { list: 'TaskList', detail: 'AdhocDetail' },
  paths: { list: '/ops/tasks', detail: '/ops/adhoc/$id' },
  titles: { list: 'nav:task_list', detail: 'nav:task_version' },
};

/** Executions are listed on the pages of their task and version. */
export const executionRoutes: ResourceRoutes = {
  names: { list: 'TaskList', detail: 'HistoryExecutionDetail' },
  paths: { list: '/ops/tasks', detail: '/ops/executions/$id' },
  titles: { list: 'nav:task_list', detail: 'nav:task_execution' },
};

/** What Postern does by itself; a list without further screens. */
export const periodicTaskRoutes = usualRoutes({
  name: 'PeriodicTask',
  path: '/ops/periodic-tasks',
  titles: 'nav:periodic_task_*',
  screens: ['list'],
});

export const taskPath = (id: string): string => `/ops/tasks/${id}`;
export const versionPath = (id: string): string => `/ops/adhoc/${id}`;
export const executionPath = (id: string): string => `/ops/executions/${id}`;
export const logPath = (id: string): string => `/ops/celery/task/${id}/log`;

/** The task monitor: pages of Flower, outside the console. */
export const MONITOR = '/flower/';
