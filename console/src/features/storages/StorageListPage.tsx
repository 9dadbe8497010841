import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { useMetadata } from '#/resource/use-metadata';
import { PageHeader } from '#/ui/page';
import { Tabs } from '#/ui/tabs';
import { COMMAND_TAB, type StorageKind } from './addresses';
import { offeredTypes, storageApi } from './storage-row';
import { type Opening, storagesOf } from './storage.resource';

const MoveDialog = lazy(async () => ({ default: (await import('./MoveDialog')).MoveDialog }));
const StorageTestDialog = lazy(async () => ({ default: (await import('./StorageTest')).StorageTestDialog }));

function Storages({ kind }: { readonly kind: StorageKind }) {
  const t = useT();
  const metadata = useMetadata(storageApi[kind]);
  const isFixed = metadata.isSuccess && offeredTypes(metadata.data.actions.POST).length === 0;
  const [opened, setOpened] = useState<Opening | null>(null);
  const resource = useMemo(() => storagesOf(kind, setOpened), [kind]);
  const close = () => setOpened(null);
  return (
    <>
      <ResourceList
        embedded
        addressed
        resource={resource}
        // i18n: storages:nothing.*
        strip={isFixed && <p className="text-ink-2">{t(`storages:nothing.${kind}`)}</p>}
      />
      {opened && (
        <Suspense>
          {opened.what === 'test' ? (
            <StorageTestDialog kind={kind} row={opened.row} onClose={close} />
          ) : (
            <MoveDialog row={opened.row} onClose={close} />
          )}
        </Suspense>
      )}
    </>
  );
}

/** Where recordings are kept, and where commands are. */
export function StorageListPage() {
  const t = useT();
  const navigate = useNavigate();
  const address: Record<string, string> = useSearch({ strict: false });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <PageHeader title={t('nav:storage_list')} />
      <Tabs
        label={t('nav:storage_list')}
        selected={address['activeTab'] === COMMAND_TAB ? COMMAND_TAB : 'replay'}
        onSelect={(next) => void navigate({ to: '.', search: { activeTab: next }, resetScroll: false })}
        tabs={[
          { id: 'replay', label: t('storages:tab.replay'), content: <Storages key="replay" kind="replay" /> },
          {
            id: COMMAND_TAB,
            label: t('storages:tab.command'),
            content: <Storages key="command" kind="command" />,
          },
        ]}
      />
    </div>
  );
}
