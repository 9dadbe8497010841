import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { Count } from './status';
import { useShownInStrip } from './strip';

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly count?: number;
  readonly content: ReactNode;
}

/** Tabs with a panel. Arrow keys, Home and End move; the panel follows. Only the open panel is rendered. */
export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}) {
  const base = useId();
  const strip = useRef<HTMLDivElement>(null);
  const current = tabs.find((tab) => tab.id === selected) ?? tabs[0];
  useShownInStrip(strip, '[aria-selected=true]', current?.id);
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === current?.id);
    const next = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    const target = next === undefined ? undefined : tabs[next];
    if (!target) return;
    event.preventDefault();
    onSelect(target.id);
    strip.current?.querySelector<HTMLElement>(`[data-tab="${target.id}"]`)?.focus();
  };
  return (
    <>
      <div
        ref={strip}
        role="tablist"
        aria-label={label}
        className="flex gap-5 overflow-x-auto overflow-y-hidden border-b border-line [scrollbar-width:none]"
      >
        {tabs.map((tab) => {
          const isCurrent = tab.id === current?.id;
          return (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${base}-${tab.id}`}
              data-tab={tab.id}
              aria-selected={isCurrent}
              aria-controls={isCurrent ? `${base}-panel` : undefined}
              tabIndex={isCurrent ? 0 : -1}
              className="-mb-px flex min-h-8 flex-none items-center gap-2 border-b-2 border-transparent pb-1 text-ink-2 outline-offset-[-2px] hover:text-ink-1 aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink-1"
              onClick={() => onSelect(tab.id)}
              onKeyDown={move}
            >
              {tab.label}
              {tab.count !== undefined && <Count>{tab.count}</Count>}
            </button>
          );
        })}
      </div>
      {current && (
        <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${current.id}`} className="pt-3">
          {current.content}
        </div>
      )}
    </>
  );
}
