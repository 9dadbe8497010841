import { useBlocker } from '@tanstack/react-router';
import { Columns2, PanelLeft, Square } from 'lucide-react';
import { use, useEffect, useState } from 'react';
import { AssetColumn } from '#/domain/connecting/AssetColumn';
import type { GrantedSystemUser } from '#/domain/connecting/api';
import { OpeningDialogs } from '#/domain/connecting/OpeningDialogs';
import { useOpening } from '#/domain/connecting/use-opening';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { FrameTools } from '#/ui/frame-tools';
import { usePageTitle } from '#/ui/page-title';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { closeAll, openInPane, paneForNext, showPanes, uploads } from './links';
import { PaneArea } from './PaneArea';
import { allTransfers } from './transfers/store';
import { displayName, isUnfinished } from './transfers/transfer';
import { TransfersPanel } from './transfers/TransfersPanel';
import { useWorkspace } from './workspace';

const TRANSFERS: ReadonlySet<string> = new Set(['upload_file', 'download_file']);

function mayTransfer({ actions }: GrantedSystemUser): boolean {
  return actions === undefined || actions.some((action) => TRANSFERS.has(action));
}

/** Asks before the page is left with unfinished uploads. */
function useLeaveQuestion(): void {
  const t = useT();
  const unfinished = (): readonly string[] => allTransfers().filter(isUnfinished).map(displayName);
  useBlocker({
    shouldBlockFn: async () => {
      const names = unfinished();
      if (names.length === 0) return false;
      return !(await confirm({
        title: t('files:leave.question', { count: names.length }),
        effect: t('files:leave.effect'),
        names,
        confirmLabel: t('files:leave.confirm'),
        cancelLabel: t('files:leave.stay'),
        danger: true,
      }));
    },
    enableBeforeUnload: () => unfinished().length > 0,
  });
}

function TopBar({
  showsAssets,
  onShowAssets,
}: {
  readonly showsAssets: boolean;
  readonly onShowAssets: () => void;
}) {
  const t = useT();
  const frameTools = use(FrameTools);
  const two = useWorkspace((state) => state.preferences.two);
  return (
    <div className="flex h-10 flex-none items-center gap-1 border-b border-line px-1.5">
      {!showsAssets && (
        <IconButton
          icon={PanelLeft}
          kind="text"
          size="sm"
          label={t('connecting:show_assets')}
          onClick={onShowAssets}
        />
      )}
      <h1 className="min-w-0 grow truncate px-1 text-lead">{t('nav:files')}</h1>
      <IconButton
        icon={two ? Square : Columns2}
        kind="text"
        size="sm"
        label={t(two ? 'files:one_pane' : 'files:two_panes')}
        onClick={() => showPanes(!two)}
      />
      {frameTools}
    </div>
  );
}

/** The file manager. `?asset=<id>` opens that asset at once. */
export function FilesPage() {
  const t = useT();
  usePageTitle(t('nav:files'));
  const [showsAssets, setShowsAssets] = useState(() => window.innerWidth >= 640);
  const opening = useOpening(
    (target) => {
      if (window.innerWidth < 640) setShowsAssets(false);
      openInPane(paneForNext(), target);
    },
    {
      serves: mayTransfer,
      onNone: ({ hostname }) =>
        toast({ tone: 'error', text: t('files:no_account', { asset: visible(hostname) }) }),
    },
  );
  useLeaveQuestion();
  useEffect(() => closeAll, []);
  return (
    <main tabIndex={-1} className="flex min-h-0 grow overflow-hidden bg-bg text-ink-1">
      {showsAssets && (
        <AssetColumn onChoose={(asset) => void opening.choose(asset)} onHide={() => setShowsAssets(false)} />
      )}
      <div className="flex min-h-0 min-w-0 grow flex-col">
        <TopBar showsAssets={showsAssets} onShowAssets={() => setShowsAssets(true)} />
        <PaneArea onShowAssets={showsAssets ? undefined : () => setShowsAssets(true)} />
        <TransfersPanel queue={uploads} />
      </div>
      <OpeningDialogs opening={opening} />
    </main>
  );
}
