import { useBlocker } from '@tanstack/react-router';
import { PanelLeft, PanelRight } from 'lucide-react';
import { use, useState } from 'react';
import { AssetColumn } from '#/domain/connecting/AssetColumn';
import { OpeningDialogs } from '#/domain/connecting/OpeningDialogs';
import { useOpening } from '#/domain/connecting/use-opening';
import { useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { FrameTools } from '#/ui/frame-tools';
import { usePageTitle } from '#/ui/page-title';
import { StateView } from '#/ui/states';
import { InfoPanel } from './InfoPanel';
import { PaneArea } from './PaneArea';
import { StatusBar } from './StatusBar';
import { TabStrip } from './TabStrip';
import { liveSessions, openTab, useWorkspace } from './workspace';

/** Asks before the page is left with running sessions, because unmounting a terminal ends its session. */
function useLeaveQuestion(): void {
  const t = useT();
  useBlocker({
    shouldBlockFn: async () => {
      const live = liveSessions();
      if (live.length === 0) return false;
      return !(await confirm({
        title: t('connect:leave.question', { count: live.length }),
        effect: t('connect:leave.effect'),
        names: live,
        confirmLabel: t('connect:leave.confirm'),
        cancelLabel: t('connect:leave.stay'),
        danger: true,
      }));
    },
    enableBeforeUnload: () => liveSessions().length > 0,
  });
}

/** The web terminal: a dark workspace of its own. `?asset=<id>` opens a session of that asset at once. */
export function ConnectPage() {
  const t = useT();
  usePageTitle(t('nav:connect'));
  const frameTools = use(FrameTools);
  const { tabs, panes, current } = useWorkspace();
  const [showsAssets, setShowsAssets] = useState(() => window.innerWidth >= 640);
  const [showsInfo, setShowsInfo] = useState(() => window.innerWidth >= 1200);
  const tab = tabs.find((candidate) => candidate.id === current);
  const pane = tab ? panes[tab.focused] : undefined;

  const opening = useOpening((target) => {
    if (window.innerWidth < 640) setShowsAssets(false);
    openTab(target);
  });

  useLeaveQuestion();

  return (
    <main
      data-theme="dark"
      data-terminal-exit=""
      tabIndex={-1}
      className="flex min-h-0 grow flex-col overflow-hidden bg-bg text-ink-1"
    >
      <h1 className="sr-only">{t('nav:connect')}</h1>
      <div className="flex min-h-0 grow">
        {showsAssets && (
          <AssetColumn
            onChoose={(asset) => void opening.choose(asset)}
            onHide={() => setShowsAssets(false)}
          />
        )}
        <div className="flex min-w-0 grow flex-col">
          <div className="flex h-10 flex-none items-center gap-1 border-b border-line px-1.5">
            {!showsAssets && (
              <IconButton
                icon={PanelLeft}
                kind="text"
                size="sm"
                label={t('connecting:show_assets')}
                onClick={() => setShowsAssets(true)}
              />
            )}
            <TabStrip />
            {frameTools}
            <IconButton
              icon={PanelRight}
              kind="text"
              size="sm"
              label={t(showsInfo ? 'connect:hide_info' : 'connect:show_info')}
              aria-pressed={showsInfo}
              className="max-md:hidden"
              onClick={() => setShowsInfo(!showsInfo)}
            />
          </div>
          <div className="flex min-h-0 grow">
            {tabs.length === 0 ? (
              <div className="grid grow place-items-center">
                <StateView
                  drawing="empty"
                  title={t('connect:empty_title')}
                  actions={
                    showsAssets ? undefined : (
                      <Button kind="primary" onClick={() => setShowsAssets(true)}>
                        {t('connecting:show_assets')}
                      </Button>
                    )
                  }
                >
                  {t('connect:empty_hint')}
                </StateView>
              </div>
            ) : (
              <PaneArea tabs={tabs} current={current} />
            )}
            {showsInfo && pane && <InfoPanel pane={pane} />}
          </div>
        </div>
      </div>
      <StatusBar pane={pane} />
      <OpeningDialogs opening={opening} />
    </main>
  );
}
