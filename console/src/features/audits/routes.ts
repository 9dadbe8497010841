import type { ComponentType } from 'react';
import type { RouteRecord, Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { batchCommandRoutes } from './addresses';

type Log = 'LoginLogPage' | 'FtpLogPage' | 'OperateLogPage' | 'PasswordChangeLogPage';

function record(name: string, path: string, title: string, page: Log): RouteRecord {
  return {
    name,
    path,
    title,
    permission: 'audit',
    texts: ['resource', 'audits', 'transfers'],
    load: async (): Promise<ComponentType> => (await import('./screens'))[page],
  };
}

const batchScreens: ResourceScreens = {
  permission: 'audit',
  ...batchCommandRoutes,
  texts: ['audits', 'batch-results'],
  load: async () => (await import('./batch-command-screens')).batchCommandPages,
};

export const auditsSection: Section = {
  id: 'audits',
  title: 'nav:audits',
  icon: 'audits',
  path: '/audits',
  order: 60,
  routes: [
    {
      name: 'AuditEventList',
      path: '/audits/events',
      title: 'nav:audit_events',
      permission: 'audit',
      texts: ['resource', 'audits'],
      load: async () => (await import('./EventListPage')).EventListPage,
    },
    record('LoginLog', '/audits/login-log', 'nav:login_log', 'LoginLogPage'),
    record('FtpLog', '/audits/ftp-log', 'nav:ftp_log', 'FtpLogPage'),
    record('OperateLog', '/audits/operate-log', 'nav:operate_log', 'OperateLogPage'),
    record(
      'PasswordChangeLog',
      '/audits/password-change-log',
      'nav:password_change_log',
      'PasswordChangeLogPage',
    ),
    ...resourceRecords(batchScreens),
  ],
};
