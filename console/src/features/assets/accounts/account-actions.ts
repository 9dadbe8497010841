import { create } from 'zustand';
import { http } from '#/lib/http/client';
import { type QueryValues, queryString } from '#/lib/http/query-string';
import { translate } from '#/lib/i18n';
import { freshMfa } from '#/domain/mfa/fresh-mfa';
import { startJob } from '#/domain/jobs/shown-job';
import { cacheIds } from '#/resource/api';
import type { ActionTools, BulkTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { accountName, type AccountRow } from './account-row';

/** From this number on, a test of chosen accounts is confirmed. */
const MANY = 100;

/** A dialog about one account. */
export interface AccountDialog {
  readonly kind: 'secret' | 'update' | 'versions';
  readonly row: AccountRow;
  readonly done: () => void;
}

export const useAccountDialog = create<{ readonly asked: AccountDialog | null }>(() => ({ asked: null }));

export function closeAccountDialog(): void {
  useAccountDialog.setState({ asked: null });
}

export function openAccountDialog(kind: AccountDialog['kind'], row: AccountRow, tools: ActionTools): void {
  useAccountDialog.setState({ asked: { kind, row, done: tools.refresh } });
}

/** Asks for a code if none was entered recently, then shows the secret. */
export async function viewSecret(row: AccountRow, tools: ActionTools): Promise<void> {
  if (await freshMfa.ask()) openAccountDialog('secret', row, tools);
}

/** Signs in with one account, and shows the log of the job. */
export function testAccount(row: AccountRow): Promise<void> {
  return startJob(`assets/accounts/${row.id}/verify/`, { action: 'test' });
}

/** Signs in with the chosen accounts. */
export async function testAccounts(ids: readonly string[], tools: BulkTools): Promise<void> {
  const run = async () => {
    const spm = await cacheIds(ids);
    await startJob(`assets/accounts/tasks/${queryString({ spm })}`, { action: 'test' });
  };
  if (ids.length <= MANY) {
    await run();
    return;
  }
  await confirm({
    title: translate('accounts:many_question', { count: ids.length }),
    effect: translate('assets:job.test_accounts_effect'),
    names: tools.names,
    confirmLabel: translate('assets:job.test_accounts'),
    run,
  });
}

/** Signs in with all accounts of a place: of an asset, of a system user. */
export async function testAllAccounts(query: QueryValues): Promise<void> {
  await confirm({
    title: translate('accounts:all_question'),
    effect: translate('assets:job.test_accounts_effect'),
    confirmLabel: translate('assets:job.test_accounts'),
    run: () => startJob(`assets/accounts/tasks/${queryString(query)}`, { action: 'test' }, { quiet: true }),
  });
}

/** Returns to the secret of the system user. */
export async function removeOwnSecret(row: AccountRow, tools: ActionTools): Promise<void> {
  const name = accountName(row);
  const isRemoved = await confirm({
    title: translate('accounts:own.remove_question', { name }),
    effect: row.systemuser
      ? translate('accounts:own.remove_effect', { name: row.systemuser_display })
      : translate('accounts:own.remove_effect_alone'),
    confirmLabel: translate('accounts:own.remove'),
    danger: true,
    run: () => http.delete(`assets/accounts/${row.id}/own-secret/`, { quiet: true }),
  });
  if (!isRemoved) return;
  toast({ tone: 'ok', text: translate('accounts:own.removed', { name }) });
  tools.refresh();
}
