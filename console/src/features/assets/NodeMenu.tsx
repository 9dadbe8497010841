import {
  Cpu,
  Ellipsis,
  FolderInput,
  FolderPlus,
  ListChecks,
  ListPlus,
  Pencil,
  PlugZap,
  Trash2,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useIsRootOrganization } from '#/lib/session';
import { startJob } from '#/domain/jobs/shown-job';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { confirm } from '#/ui/confirm';
import { MenuButton, type MenuEntry } from '#/ui/menu';
import { askPlacement } from './asset-actions';
import { startOnNode } from './host-jobs';

// Loaded on demand: rarely used, so the list does not wait for it.
const NodeNameDialog = lazy(async () => ({ default: (await import('./NodeNameDialog')).NodeNameDialog }));

interface Editing {
  readonly kind: 'create' | 'rename';
  readonly start: string;
}

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

/** Menu of the chosen node: create a child, rename, place assets, start jobs, delete. */
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
          ...placements(chosen, reason),
          ...hostJobs(chosen, reason),
          {
            id: 'check',
            label: t('assets:node.check_amounts'),
            icon: ListChecks,
            run: () => void startJob('assets/nodes/check_assets_amount_task/'),
          },
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
