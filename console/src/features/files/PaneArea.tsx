import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Segmented } from '#/ui/choice';
import { StateView } from '#/ui/states';
import { useMedia } from '#/ui/use-media';
import { FilePaneView, titleOf } from './FilePaneView';
import { paneForNext } from './links';
import { focusPane, type Side, SIDES, useWorkspace } from './workspace';

/** A pane that shows no host yet. */
function EmptyPane({
  side,
  isMarked,
  isNext,
  onShowAssets,
}: {
  readonly side: Side;
  readonly isMarked: boolean;
  /** Whether the next asset opens here. */
  readonly isNext: boolean;
  readonly onShowAssets: (() => void) | undefined;
}) {
  const t = useT();
  const { two } = useWorkspace((state) => state.preferences);
  return (
    <section
      aria-label={t(side === 'left' ? 'files:left' : 'files:right')}
      style={{ flex: '1 1 0' }}
      className={`grid min-h-0 min-w-0 place-items-center overflow-auto rounded-3 border bg-surface-1 ${isMarked ? 'border-accent' : 'border-line'}`}
    >
      <StateView
        drawing="empty"
        title={t('files:empty.title')}
        actions={
          <>
            {onShowAssets && (
              <Button kind="primary" onClick={onShowAssets}>
                {t('connecting:show_assets')}
              </Button>
            )}
            {two && !isNext && <Button onClick={() => focusPane(side)}>{t('files:empty.here')}</Button>}
          </>
        }
      >
        {t('files:empty.hint')}
      </StateView>
    </section>
  );
}

/** One pane or two: beside each other where there is room, else one after the other. */
export function PaneArea({ onShowAssets }: { readonly onShowAssets: (() => void) | undefined }) {
  const t = useT();
  const isWide = useMedia('(width >= 1024px)');
  const { sessions, panes, focused, preferences } = useWorkspace();
  const { two } = preferences;
  const labelOf = (side: Side): string => {
    const session = sessions[panes[side].sessionId ?? ''];
    return session ? titleOf(session) : t(side === 'left' ? 'files:left' : 'files:right');
  };
  const shown = !two ? (['left'] as const) : isWide ? SIDES : [focused];
  return (
    <div className="flex min-h-0 grow flex-col gap-2 p-2">
      {two && !isWide && (
        <div className="flex-none overflow-x-auto">
          <Segmented
            label={t('files:panes')}
            options={SIDES.map((side) => ({ value: side, label: labelOf(side) }))}
            value={focused}
            onChange={(side) => focusPane(side as Side)}
          />
        </div>
      )}
      <div className="flex min-h-0 grow gap-2">
        {shown.map((side) => {
          const session = sessions[panes[side].sessionId ?? ''];
          const isMarked = two && focused === side;
          return session ? (
            <FilePaneView key={`${side}-${session.id}`} side={side} session={session} isMarked={isMarked} />
          ) : (
            <EmptyPane
              key={side}
              side={side}
              isMarked={isMarked}
              isNext={side === paneForNext()}
              onShowAssets={onShowAssets}
            />
          );
        })}
      </div>
    </div>
  );
}
