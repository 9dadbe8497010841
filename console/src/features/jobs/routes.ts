import type { RouteRecord, Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { executionRoutes, MONITOR, periodicTaskRoutes, taskRoutes, versionRoutes } from './addresses';

const load = () => import('./screens');

const taskScreens: ResourceScreens = {
  ...taskRoutes,
  texts: ['jobs'],
  find: { api: 'ops/tasks/', name: 'name' },
  load: async () => (await load()).taskPages,
};

const versionScreens: ResourceScreens = {
  ...versionRoutes,
  texts: ['jobs'],
  load: async () => (await load()).versionPages,
};

const executionScreens: ResourceScreens = {
  ...executionRoutes,
  texts: ['jobs'],
  load: async () => (await load()).executionPages,
};

const periodicTaskScreens: ResourceScreens = {
  ...periodicTaskRoutes,
  permission: 'super',
  texts: ['periodic-tasks'],
  load: async () => (await import('./periodic-task-screens')).periodicTaskPages,
};

/** Two addresses of the specification lead to the log of a job. */
const logRecord = (name: string, path: string): RouteRecord => ({
  name,
  path,
  title: 'nav:job_log',
  permission: 'any',
  hidden: true,
  texts: ['jobs'],
  load: async () => (await import('./JobLogPage')).JobLogPage,
});

/** Batch commands: for administrators in the job center, for everybody on the user page. */
const batchRecord = (name: string, path: string, permission?: 'use'): RouteRecord => ({
  name,
  path,
  title: 'nav:batch_command',
  permission,
  setting: 'SECURITY_COMMAND_EXECUTION',
  texts: ['jobs', 'batch-results'],
  load: async () => (await import('./batch/BatchPage')).BatchPage,
});

/** On the user page. */
export const commandsSection: Section = {
  id: 'commands',
  title: 'nav:batch_command',
  icon: 'jobs',
  order: 16,
  routes: [batchRecord('CommandExecutions', '/command-executions', 'use')],
};

export const jobsSection: Section = {
  id: 'jobs',
  title: 'nav:jobs',
  icon: 'jobs',
  order: 60,
  path: '/ops',
  routes: [
    ...resourceRecords(taskScreens),
    batchRecord('BatchCommand', '/ops/command-executions/create'),
    {
      name: 'TaskMonitor',
      path: '/ops/task-monitor',
      external: MONITOR,
      title: 'nav:task_monitor',
      permission: 'super',
      texts: ['jobs'],
      load: async () => (await import('./MonitorPage')).MonitorPage,
    },
    ...resourceRecords(periodicTaskScreens),
    // Without lists: versions and executions are listed on the page of their task.
    ...resourceRecords(versionScreens).filter((record) => record.hidden),
    ...resourceRecords(executionScreens).filter((record) => record.hidden),
    logRecord('CeleryTaskLog', '/ops/celery/task/$id/log'),
    logRecord('TaskLog', '/ops/task/task/$id/log'),
  ],
};
