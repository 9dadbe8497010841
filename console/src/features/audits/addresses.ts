import type { ResourceRoutes } from '#/resource/routes';

/** Names, addresses and titles of the log of batch commands. */
export const batchCommandRoutes: ResourceRoutes = {
  names: { list: 'BatchCommandLog', detail: 'BatchCommandLogDetail' },
  paths: { list: '/audits/command-execution-log', detail: '/audits/command-execution-log/$id' },
  titles: { list: 'nav:batch_command_log', detail: 'nav:batch_command_detail' },
};

export const batchCommandPath = (id: string): string => `/audits/command-execution-log/${id}`;
