import { Ellipsis, FolderInput, FolderPlus, ListPlus, Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useIsRootOrganization } from '#/lib/session';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { confirm } from '#/ui/confirm';
import { MenuButton } from '#/ui/menu';
import { askPlacement } from './asset-actions';

// Loaded on demand: rarely used, so the list does not wait for it.
const NodeNameDialog = lazy(async () => ({ default: (await import('./NodeNameDialog')).NodeNameDialog }));

interface Editing {
  readonly kind: 'create' | 'rename';
  readonly start: string;
}

/** Menu of the chosen node: create a child, rename, delete. */
export function NodeMenu({
  chosen,
  onGone,
}: {
  readonly chosen: ChosenNode | null;
  readonly onGone: () => void;
}) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const [editing, setEditing] = useState<Editing | null>(null);
  if (isRoot) return null;
  const reason = chosen ? undefined : t('assets:node.choose_first');
  const reload = () => queryClient.invalidateQueries({ queryKey: ['tree'] });
  const isTop = chosen !== null && !chosen.key.includes(':');
  const topReason = reason ?? (isTop ? t('assets:node.root_fixed') : undefined);
  return (
    <>
      <MenuButton
        label={t('assets:node.menu')}
        kind="text"
        size="sm"
        iconOnly
        entries={[
          {
            id: 'create',
            label: t('assets:node.create'),
            icon: FolderPlus,
            run: () => setEditing({ kind: 'create', start: '' }),
          },
          {
            id: 'rename',
            label: t('assets:node.rename'),
            icon: Pencil,
            disabledReason: topReason,
            run: () => chosen && setEditing({ kind: 'rename', start: chosen.label }),
          },
          ...(['add', 'replace'] as const).map((way) => ({
            id: way,
            label: t(way === 'add' ? 'assets:node.add_assets' : 'assets:node.move_assets'),
            icon: way === 'add' ? ListPlus : FolderInput,
            disabledReason: reason,
            run: () => {
              if (!chosen) return;
              const node = { id: chosen.id, label: chosen.label };
              askPlacement({
                way,
                node,
                done: () => void queryClient.invalidateQueries({ queryKey: ['list'] }),
              });
            },
          })),
          {
            id: 'delete',
            label: t('assets:node.delete'),
            icon: Trash2,
            danger: true,
            separated: true,
            disabledReason: topReason,
            run: () =>
              chosen &&
              void confirm({
                title: t('assets:node.delete_question', { name: chosen.label }),
                effect: t('assets:node.delete_effect'),
                confirmLabel: t('resource:action.delete'),
                danger: true,
                run: () => http.delete(`assets/nodes/${chosen.id}/`),
              }).then(async (gone) => {
                if (!gone) return;
                onGone();
                await reload();
              }),
          },
        ]}
      >
        <Ellipsis aria-hidden />
      </MenuButton>
      {editing && (
        <Suspense>
          <NodeNameDialog
            start={editing.start}
            title={t(editing.kind === 'create' ? 'assets:node.create' : 'assets:node.rename')}
            onClose={() => setEditing(null)}
            save={async (value) => {
              if (editing.kind === 'rename' && chosen) {
                await http.patch(`assets/nodes/${chosen.id}/`, { value }, { quiet: true });
              } else {
                await http.post(
                  chosen ? `assets/nodes/${chosen.id}/children/` : 'assets/nodes/',
                  { value },
                  { quiet: true },
                );
              }
              await reload();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
