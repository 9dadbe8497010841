import { KeyRound, RefreshCcw, Trash2 } from 'lucide-react';
import { forgetCredential, type KeptCredential } from '#/domain/entered-credentials/api';
import { translate } from '#/lib/i18n';
import { type ActionTools, defineResource } from '#/resource/define';
import { MonoCell, TextCell, TimeCell } from '#/resource/format';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { openCredentialDialog } from './dialog';
import { EnterButton } from './EnterButton';

function nameOf(row: KeptCredential): string {
  return `${row.username}@${row.asset_display}`;
}

async function forget(row: KeptCredential, tools: ActionTools): Promise<void> {
  const done = await confirm({
    title: translate('my-credentials:forget.question', { name: nameOf(row) }),
    effect: translate('my-credentials:forget.effect'),
    confirmLabel: translate('my-credentials:forget.action'),
    danger: true,
    run: () => forgetCredential(row.id, true),
  });
  if (!done) return;
  toast({ tone: 'ok', text: translate('my-credentials:forget.done') });
  tools.refresh();
}

export const keptCredential = defineResource<KeptCredential, 'assets/entered-credentials/'>({
  name: 'KeptCredentialTable',
  api: 'assets/entered-credentials/',
  routes: {
    names: { list: 'MyCredentials' },
    paths: { list: '/my-credentials' },
    titles: { list: 'nav:my_credentials' },
  },
  icon: KeyRound,
  nameOf,
  noun: { one: 'my-credentials:one', many: 'my-credentials:many', what: 'my-credentials:what' },
  shared: true,
  can: { create: false, clone: false, deleteMany: false },
  list: {
    columns: [
      { key: 'asset_display', sortable: false, cell: (row) => <TextCell value={row.asset_display} /> },
      {
        key: 'system_user_display',
        sortable: false,
        cell: (row) => <TextCell value={row.system_user_display} />,
      },
      { key: 'username', sortable: false, cell: (row) => <MonoCell value={row.username} /> },
      {
        key: 'date_expired',
        label: 'my-credentials:until',
        cell: (row) => <TimeCell value={row.date_expired} exact />,
      },
    ],
    untyped: ['asset', 'system_user'],
    exchange: { export: false, import: false },
    header: (tools) => <EnterButton onEntered={tools.refresh} />,
    rowActions: [
      {
        id: 'replace',
        label: 'my-credentials:replace',
        icon: RefreshCcw,
        order: 1,
        run: (row, tools) => openCredentialDialog({ of: row, done: tools.refresh }),
      },
      {
        id: 'forget',
        label: 'my-credentials:forget.action',
        icon: Trash2,
        order: 2,
        danger: true,
        run: forget,
      },
    ],
    phone: {
      icon: KeyRound,
      meta: (row) => row.system_user_display,
      note: (row) => (
        <>
          {translate('my-credentials:until')} <TimeCell value={row.date_expired} exact />
        </>
      ),
    },
  },
});
