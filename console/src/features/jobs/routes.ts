import type { RouteRecord, Section } from '#/lib/routes';

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

export const jobsSection: Section = {
  id: 'jobs',
  title: 'nav:jobs',
  icon: 'jobs',
  order: 60,
  path: '/ops',
  routes: [
    logRecord('CeleryTaskLog', '/ops/celery/task/$id/log'),
    logRecord('TaskLog', '/ops/task/task/$id/log'),
  ],
};
