import { translate } from '#/lib/i18n';
import { startJob } from '#/domain/jobs/shown-job';
import type { BulkTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';

/** The jobs that work on assets. */
export type HostJob = 'refresh' | 'test';

/** From this number on, starting a job on chosen assets is confirmed. */
const MANY = 100;

// i18n: assets:job.*
/** Starts a job on chosen assets and shows its log. */
export async function startOnAssets(
  action: HostJob,
  ids: readonly string[],
  tools: BulkTools,
): Promise<void> {
  const run = (quiet: boolean) => startJob('assets/assets/tasks/', { action, assets: ids }, { quiet });
  if (ids.length <= MANY) {
    await run(false);
    return;
  }
  await confirm({
    title: translate('assets:job.many_question', { count: ids.length }),
    effect: translate(`assets:job.${action}_effect`),
    names: tools.names,
    confirmLabel: translate(`assets:job.${action}`),
    run: () => run(true),
  });
}

/** Starts a job on all assets below a node. */
export function startOnNode(action: HostJob, node: string): Promise<void> {
  return startJob(`assets/nodes/${node}/tasks/`, { action });
}

/** Starts a job on one asset, or on all of its accounts. */
export function startOnAsset(
  action: HostJob | 'push_system_user' | 'test_system_user',
  asset: string,
): Promise<void> {
  return startJob(`assets/assets/${asset}/tasks/`, { action });
}

/** Starts a job on all accounts of a system user. */
export function startOnSystemUser(action: 'push' | 'test', systemUser: string): Promise<void> {
  return startJob(`assets/system-users/${systemUser}/tasks/`, { action });
}
