import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { CopyCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Definitions } from '#/ui/card';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';

/** What identifies a node, for scripts and support. */
export function NodeInfoDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const t = useT();
  const node = useQuery({
    queryKey: ['node', id],
    queryFn: () => http.get<Api<'Node'>>(`assets/nodes/${id}/`, { quiet: true }),
    staleTime: 0,
    retry: false,
  });
  return (
    <Dialog
      isOpen
      title={t('assets:node.info')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('ui:close')}</Button>}
    >
      {node.error && <Note tone="danger">{explain(node.error)}</Note>}
      {node.isPending && <SkeletonLines lines={4} />}
      {node.data && (
        <div className="grid grid-cols-1 [&_dl]:grid-cols-1">
          <Definitions
            items={[
              { label: t('assets:node.id'), value: <CopyCell value={node.data.id} /> },
              { label: t('assets:node.name'), value: node.data.name },
              { label: t('assets:node.full_value'), value: <CopyCell value={node.data.full_value} /> },
              { label: t('assets:node.key'), value: <CopyCell value={node.data.key} /> },
            ]}
          />
        </div>
      )}
    </Dialog>
  );
}
