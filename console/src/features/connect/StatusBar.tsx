import { Minus, Plus } from 'lucide-react';
import { stateKey, statusTone } from '#/domain/connecting/state';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { Switch } from '#/ui/choice';
import { Status } from '#/ui/status';
import { FONT_SIZES, setPreferences, useWorkspace, type Pane } from './workspace';

/** State of the focused pane, and display settings of all panes. */
export function StatusBar({ pane }: { readonly pane: Pane | undefined }) {
  const t = useT();
  const { fontSize, screenReader } = useWorkspace((state) => state.preferences);
  return (
    <footer className="flex min-h-7 flex-none flex-wrap items-center gap-x-4 border-t border-line bg-surface-1 px-3 text-meta text-ink-2">
      <span role="status">
        {pane ? (
          <Status tone={statusTone(pane)}>{t(stateKey(pane), { via: pane.via })}</Status>
        ) : (
          t('connect:no_session')
        )}
      </span>
      {pane?.latencyMs !== null && pane?.latencyMs !== undefined && pane.end === null && (
        <span className="tabular-nums">{pane.latencyMs} ms</span>
      )}
      <span>UTF-8</span>
      {pane !== undefined && pane.pasting > 0 && pane.end === null && (
        <span className="text-warn tabular-nums">
          {t('connect:pasting', { size: `${Math.round(pane.pasting / 1024)} KB` })}
        </span>
      )}
      <span className="grow" />
      <Switch
        checked={screenReader}
        onChange={(event) => setPreferences({ screenReader: event.target.checked })}
      >
        {t('connect:screen_reader')}
      </Switch>
      <span className="flex items-center gap-1">
        <IconButton
          icon={Minus}
          kind="text"
          size="sm"
          label={t('connect:smaller')}
          disabled={fontSize <= FONT_SIZES.smallest}
          onClick={() => setPreferences({ fontSize: fontSize - 1 })}
        />
        <span className="tabular-nums">{fontSize} px</span>
        <IconButton
          icon={Plus}
          kind="text"
          size="sm"
          label={t('connect:larger')}
          disabled={fontSize >= FONT_SIZES.largest}
          onClick={() => setPreferences({ fontSize: fontSize + 1 })}
        />
      </span>
      <span className="max-lg:hidden">
        {t('connect:copy')} <kbd className="font-mono">Ctrl Shift C</kbd> · {t('connect:paste')}{' '}
        <kbd className="font-mono">Ctrl Shift V</kbd>
      </span>
      <span className="max-sm:hidden">
        {t('connect:leave_terminal')} <kbd className="font-mono">Ctrl Shift Esc</kbd>
      </span>
    </footer>
  );
}
