import { useRef, type PointerEvent } from 'react';
import { useT } from '#/lib/i18n';
import { dividersOf, panesOf, rectsOf, type Divider } from './layout';
import { PaneView } from './PaneView';
import { resizeSplit, useWorkspace, type WorkspaceTab } from './workspace';

const KEY_STEP = 0.03;

const percent = (share: number): string => `${share * 100}%`;

/** All panes of all tabs. Panes of hidden tabs stay mounted, because unmounting a terminal ends its session. */
export function PaneArea({
  tabs,
  current,
}: {
  readonly tabs: readonly WorkspaceTab[];
  readonly current: string | null;
}) {
  return (
    <div className="relative min-h-0 grow">
      {tabs.map((tab) => (
        <TabPanel key={tab.id} tab={tab} isShown={tab.id === current} />
      ))}
    </div>
  );
}

function TabPanel({ tab, isShown }: { readonly tab: WorkspaceTab; readonly isShown: boolean }) {
  const panes = useWorkspace((state) => state.panes);
  const area = useRef<HTMLDivElement>(null);
  const rects = rectsOf(tab.layout);
  const ids = panesOf(tab.layout);
  return (
    <div
      ref={area}
      id={`panel-${tab.id}`}
      role="tabpanel"
      aria-labelledby={`tab-${tab.id}`}
      className={`absolute inset-1.5 ${isShown ? '' : 'invisible'}`}
      inert={!isShown}
    >
      {/* The list keeps the order in which panes were opened: some browsers remount a terminal whose element moves. */}
      {[...ids].sort().map((id) => {
        const pane = panes[id];
        const rect = rects.get(id);
        if (!pane || !rect) return null;
        return (
          <div
            key={id}
            className="absolute p-0.5"
            style={{
              left: percent(rect.left),
              top: percent(rect.top),
              width: percent(rect.width),
              height: percent(rect.height),
            }}
          >
            <PaneView pane={pane} isFocused={isShown && tab.focused === id} isAlone={ids.length === 1} />
          </div>
        );
      })}
      {dividersOf(tab.layout).map((divider) => (
        <DividerHandle
          key={divider.split}
          divider={divider}
          box={() => area.current?.getBoundingClientRect()}
          onRatio={(ratio) => resizeSplit(tab.id, divider.split, ratio)}
        />
      ))}
    </div>
  );
}

function DividerHandle({
  divider,
  box,
  onRatio,
}: {
  readonly divider: Divider;
  readonly box: () => DOMRect | undefined;
  readonly onRatio: (ratio: number) => void;
}) {
  const t = useT();
  const { area, direction, ratio } = divider;
  const isColumns = direction === 'columns';
  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    const whole = box();
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || !whole) return;
    const share = isColumns
      ? ((event.clientX - whole.left) / whole.width - area.left) / area.width
      : ((event.clientY - whole.top) / whole.height - area.top) / area.height;
    onRatio(share);
  };
  const place = isColumns
    ? { left: percent(area.left + area.width * ratio), top: percent(area.top), height: percent(area.height) }
    : { top: percent(area.top + area.height * ratio), left: percent(area.left), width: percent(area.width) };
  return (
    // A movable separator is a control: role, value and arrow keys follow the ARIA practices.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="separator"
      aria-label={t('connect:divider')}
      aria-orientation={isColumns ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(ratio * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={`absolute z-(--z-sticky) touch-none hover:bg-accent-line ${isColumns ? '-ml-1 w-2 cursor-col-resize' : '-mt-1 h-2 cursor-row-resize'}`}
      style={place}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        const less = isColumns ? 'ArrowLeft' : 'ArrowUp';
        const more = isColumns ? 'ArrowRight' : 'ArrowDown';
        if (event.key === less) onRatio(ratio - KEY_STEP);
        if (event.key === more) onRatio(ratio + KEY_STEP);
      }}
    />
  );
}
