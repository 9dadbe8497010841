import {
  Cpu,
  Ellipsis,
  FolderInput,
  FolderPlus,
  FolderTree,
  Info,
  ListChecks,
  ListPlus,
  Pencil,
  PlugZap,
  Trash2,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import { deletionEffect } from '#/domain/access-preview/effects';
import { queryClient } from '#/lib/query';
import { useIsRootOrganization } from '#/lib/session';
import { startJob } from '#/domain/jobs/shown-job';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { confirm } from '#/ui/confirm';
import { MenuButton, type MenuEntry } from '#/ui/menu';
import type * as HostJobs from './host-jobs';
import { askPlacement } from './placement';

// Loaded on demand: rarely used, so the list does not wait for them.
const startOnNode: typeof HostJobs.startOnNode = async (...asked) =>
  (await import('./host-jobs')).startOnNode(...asked);
const MoveNodeDialog = lazy(async () => ({ default: (await import('./MoveNodeDialog')).MoveNodeDialog }));
const NodeInfoDialog = lazy(async () => ({ default: (await import('./NodeInfoDialog')).NodeInfoDialog }));
const NodeNameDialog = lazy(async () => ({ default: (await import('./NodeNameDialog')).NodeNameDialog }));

type Open = 'create' | 'rename' | 'move' | 'info';

/** Adds assets to the chosen node, or moves them there. */
function placements(chosen: ChosenNode | null, disabledReason: string | undefined): readonly MenuEntry[] {
  return (['add', 'replace'] as const).map((way) => ({
    id: way,
    label: translate(way === 'add' ? 'assets:node.add_assets' : 'assets:node.move_assets'),
    icon: way === 'add' ? ListPlus : FolderInput,
    disabledReason,
    run: () => {
      if (!chosen) return;
      askPlacement({
        way,
        node: { id: chosen.id, label: chosen.label },
        done: () => void queryClient.invalidateQueries({ queryKey: ['list'] }),
      });
    },
  }));
}

/** Jobs on everything below the chosen node. */
function hostJobs(chosen: ChosenNode | null, disabledReason: string | undefined): readonly MenuEntry[] {
  return (['refresh', 'test'] as const).map((action) => ({
    id: action,
    label: translate(`assets:job.${action}`),
    icon: action === 'refresh' ? Cpu : PlugZap,
    disabledReason,
    run: () => chosen && void startOnNode(action, chosen.id),
  }));
}

function reloadNodes(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['tree'] });
}

/** Asks, deletes the node and calls `onGone`. Whatever the answer, the tree then shows what is there. */
async function deleteNode(chosen: ChosenNode, onGone: () => void): Promise<void> {
  const isDeleted = await confirm({
    title: translate('assets:node.delete_question', { name: chosen.label }),
    effect: translate('assets:node.delete_effect'),
    extra: deletionEffect('node')([chosen.id]),
    confirmLabel: translate('resource:action.delete'),
    danger: true,
    run: () => http.delete(`assets/nodes/${chosen.id}/`, { quiet: true }),
  });
  if (isDeleted) onGone();
  await reloadNodes();
}

/** Creates a child of the chosen node, or of the root; or renames the chosen node. */
async function saveName(kind: 'create' | 'rename', chosen: ChosenNode | null, value: string): Promise<void> {
  try {
    if (kind === 'rename' && chosen) {
      await http.patch(`assets/nodes/${chosen.id}/`, { value }, { quiet: true });
    } else {
      await http.post(
        chosen ? `assets/nodes/${chosen.id}/children/` : 'assets/nodes/',
        { value },
        { quiet: true },
      );
    }
  } finally {
    await reloadNodes();
  }
}

/** The dialog that an entry of the menu has opened. */
function NodeDialog({
  open,
  chosen,
  onClose,
}: {
  readonly open: Open;
  readonly chosen: ChosenNode | null;
  readonly onClose: () => void;
}) {
  const t = useT();
  if (open === 'move') return chosen && <MoveNodeDialog node={chosen} onClose={onClose} />;
  if (open === 'info') return chosen && <NodeInfoDialog id={chosen.id} onClose={onClose} />;
  return (
    <NodeNameDialog
      start={open === 'rename' ? (chosen?.label ?? '') : ''}
      title={t(open === 'create' ? 'assets:node.create' : 'assets:node.rename')}
      onClose={onClose}
      save={(value) => saveName(open, chosen, value)}
    />
  );
}

/** Menu of the chosen node: create a child, rename, move, place assets, start jobs, delete. */
export function NodeMenu({
  chosen,
  onGone,
}: {
  readonly chosen: ChosenNode | null;
  readonly onGone: () => void;
}) {
  const t = useT();
  const isRoot = useIsRootOrganization();
  const [open, setOpen] = useState<Open | null>(null);
  if (isRoot) return null;
  const reason = chosen ? undefined : t('assets:node.choose_first');
  const isTop = chosen !== null && !chosen.key.includes(':');
  const topReason = reason ?? (isTop ? t('assets:node.root_fixed') : undefined);
  const dialog = (id: Open, icon: MenuEntry['icon'], disabledReason?: string): MenuEntry => ({
    id,
    // i18n: assets:node.*
    label: t(`assets:node.${id}`),
    icon,
    disabledReason,
    run: () => setOpen(id),
  });
  return (
    <>
      <MenuButton
        label={t('assets:node.menu')}
        kind="text"
        size="sm"
        iconOnly
        entries={[
          dialog('create', FolderPlus),
          dialog('rename', Pencil, topReason),
          dialog('move', FolderTree, topReason),
          ...placements(chosen, reason),
          ...hostJobs(chosen, reason),
          {
            id: 'check',
            label: t('assets:node.check_amounts'),
            icon: ListChecks,
            run: () => void startJob('assets/nodes/check_assets_amount_task/'),
          },
          dialog('info', Info, reason),
          {
            id: 'delete',
            label: t('assets:node.delete'),
            icon: Trash2,
            danger: true,
            separated: true,
            disabledReason: topReason,
            run: () => chosen && void deleteNode(chosen, onGone),
          },
        ]}
      >
        <Ellipsis aria-hidden />
      </MenuButton>
      {open && (
        <Suspense>
          <NodeDialog open={open} chosen={chosen} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}
