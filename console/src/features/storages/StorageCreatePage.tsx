import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { useMetadata } from '#/resource/use-metadata';
import { LinkButton } from '#/ui/link';
import { PageHeader } from '#/ui/page';
import { StateView } from '#/ui/states';
import { type StorageKind, storageRoutes } from './addresses';
import { offeredTypes, storageApi } from './storage-row';
import { storage } from './storage.resource';

/** The form of a new storage of the type in the address; without one, of the first type that the server offers. */
export function StorageCreatePage({ kind }: { readonly kind: StorageKind }) {
  const t = useT();
  const navigate = useNavigate();
  const { type }: { type?: string } = useSearch({ strict: false });
  const metadata = useMetadata(storageApi[kind]);
  const types = offeredTypes(metadata.data?.actions.POST).map((offered) => offered.type);
  const isOffered = type !== undefined && types.includes(type);
  const [first] = types;
  const instead = metadata.isSuccess && !isOffered ? first : undefined;
  useEffect(() => {
    if (instead !== undefined) void navigate({ to: '.', search: { type: instead }, replace: true });
  }, [instead, navigate]);
  if (!metadata.isSuccess || first !== undefined) {
    // A type that is not offered is replaced before its fields are asked for.
    if (instead !== undefined) return null;
    return <ResourceForm resource={storage[kind]} mode="create" />;
  }
  const { paths, titles } = storageRoutes[kind];
  const title = t(titles.create ?? titles.list);
  return (
    <>
      <PageHeader title={title} back={{ to: paths.list, label: t(titles.list) }} />
      {/* i18n: storages:nothing.* */}
      <StateView
        drawing="empty"
        title={t('storages:nothing.title')}
        actions={<LinkButton to={paths.list}>{t('storages:nothing.back')}</LinkButton>}
      >
        {t(`storages:nothing.${kind}`)}
      </StateView>
    </>
  );
}
