import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { ChipsCell, CopyCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Definitions } from '#/ui/card';
import { Dialog } from '#/ui/dialog';
import { Missing } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';

export type MyAssetRow = Pick<
  Api<'GrantedAsset'>,
  'id' | 'hostname' | 'ip' | 'protocols' | 'is_active' | 'platform' | 'comment'
>;

/** With which system users the person reaches the asset. */
function SystemUsers({ id }: { readonly id: string }) {
  const rows = useQuery({
    queryKey: ['my-system-users', id],
    queryFn: () =>
      http.get<readonly { readonly name: string }[]>(`perms/users/assets/${id}/system-users/`, {
        query: { cache_policy: 1 },
        quiet: true,
      }),
  });
  if (rows.error) return <span className="text-danger">{explain(rows.error)}</span>;
  if (!rows.data) return '…';
  return <ChipsCell values={rows.data.map(({ name }) => name)} all />;
}

function Details({ row, onClose }: { readonly row: MyAssetRow; readonly onClose: () => void }) {
  const t = useT();
  return (
    <Dialog
      isOpen
      title={row.hostname}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('ui:close')}</Button>}
    >
      <div className="grid grid-cols-1 [&_dl]:grid-cols-1">
        <Definitions
          items={[
            { label: t('workbench:hostname'), value: <CopyCell value={row.hostname} /> },
            { label: t('workbench:ip'), value: <CopyCell value={row.ip} /> },
            { label: t('workbench:protocols'), value: <ChipsCell values={row.protocols} mono all /> },
            { label: t('workbench:platform'), value: <VisibleText text={row.platform} /> },
            {
              label: t('workbench:state'),
              value: t(row.is_active ? 'workbench:active' : 'workbench:inactive'),
            },
            {
              label: t('workbench:system_users'),
              value: row.is_active ? <SystemUsers id={row.id} /> : <Missing />,
            },
            {
              label: t('workbench:comment'),
              value: row.comment === '' ? <Missing /> : <VisibleText text={row.comment} />,
            },
          ]}
        />
      </div>
    </Dialog>
  );
}

/** The name of an asset, which opens what the person may know about it. */
export function AssetName({ row }: { readonly row: MyAssetRow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="pt-link min-h-6 font-medium" onClick={() => setOpen(true)}>
        <VisibleText text={row.hostname} />
      </button>
      {isOpen && <Details row={row} onClose={() => setOpen(false)} />}
    </>
  );
}
