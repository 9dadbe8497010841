import { X } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { statusTone } from '#/domain/connecting/state';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { Status } from '#/ui/status';
import { useShownInStrip } from '#/ui/strip';
import { panesOf } from './layout';
import { closeTab, type Pane, showTab, useWorkspace, type WorkspaceTab } from './workspace';

const tabId = (id: string): string => `tab-${id}`;

/** The tab that a key moves to; undefined for other keys and at the ends. */
function neighbour(tabs: readonly WorkspaceTab[], at: number, key: string): WorkspaceTab | undefined {
  switch (key) {
    case 'ArrowRight':
      return tabs[at + 1];
    case 'ArrowLeft':
      return tabs[at - 1];
    case 'Home':
      return tabs[0];
    case 'End':
      return tabs.at(-1);
    default:
      return undefined;
  }
}

/**
 * The open tabs. A tab list may contain only tabs, but each tab here has a close button beside it; so the list owns its
 * tabs by `aria-owns`. Arrows, Home and End move, Delete closes.
 */
export function TabStrip() {
  const t = useT();
  const strip = useRef<HTMLDivElement>(null);
  const { tabs: all, panes, current } = useWorkspace();
  const tabs = all.filter((tab) => panes[tab.focused] !== undefined);
  useShownInStrip(strip, '[data-current]', current);
  const go = (tab: WorkspaceTab): void => {
    showTab(tab.id);
    document.getElementById(tabId(tab.id))?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, tab: WorkspaceTab, at: number): void => {
    const next = neighbour(tabs, at, event.key);
    if (next) {
      event.preventDefault();
      go(next);
    } else if (event.key === 'Delete') {
      event.preventDefault();
      const beside = tabs[at + 1] ?? tabs[at - 1];
      closeTab(tab.id);
      if (beside) go(beside);
    }
  };
  return (
    <div
      ref={strip}
      className="flex min-w-0 grow gap-0.5 self-stretch overflow-x-auto [scrollbar-width:none]"
    >
      {tabs.length > 0 && (
        <span
          role="tablist"
          aria-label={t('connect:tabs')}
          aria-owns={tabs.map((tab) => tabId(tab.id)).join(' ')}
        />
      )}
      {tabs.map((tab, at) => (
        <Tab
          key={tab.id}
          tab={tab}
          pane={panes[tab.focused]}
          isCurrent={tab.id === current}
          onKeyDown={(event) => onKeyDown(event, tab, at)}
        />
      ))}
    </div>
  );
}

function Tab({
  tab,
  pane,
  isCurrent,
  onKeyDown,
}: {
  readonly tab: WorkspaceTab;
  readonly pane: Pane | undefined;
  readonly isCurrent: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  const t = useT();
  if (!pane) return null;
  const count = panesOf(tab.layout).length;
  return (
    <div
      data-current={isCurrent || undefined}
      className={`flex max-w-60 flex-none items-center gap-1 border-t-2 pr-1 pl-2 ${isCurrent ? 'border-accent bg-surface-1' : 'border-transparent hover:bg-hover'}`}
    >
      <button
        type="button"
        role="tab"
        id={tabId(tab.id)}
        aria-selected={isCurrent}
        aria-controls={`panel-${tab.id}`}
        aria-keyshortcuts="Delete"
        tabIndex={isCurrent ? 0 : -1}
        className="flex min-h-6 min-w-0 items-center gap-2"
        onClick={() => showTab(tab.id)}
        onKeyDown={onKeyDown}
      >
        <span className="truncate">
          <Status tone={statusTone(pane)}>{pane.target.assetName}</Status>
        </span>
        {count > 1 && <span className="pt-chip">{t('connect:panes', { count })}</span>}
      </button>
      <IconButton
        icon={X}
        kind="text"
        size="sm"
        label={t('connect:close_tab', { name: pane.target.assetName })}
        onClick={() => closeTab(tab.id)}
      />
    </div>
  );
}
