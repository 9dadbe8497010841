import { useLayoutEffect, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { showInStrip } from '#/ui/strip';
import { isForm, TAB_ICONS, TABS, type TabId } from './categories';
import type { SettingsForm } from './use-settings-form';

/** The parts of the screen, with the number of unsaved changes of each. */
export function SettingsNav({
  current,
  settings = null,
  onSelect,
}: {
  readonly current: TabId;
  /** Null as long as the forms are not loaded. */
  readonly settings?: SettingsForm | null;
  readonly onSelect: (id: TabId) => void;
}) {
  const t = useT();
  const strip = useRef<HTMLElement>(null);
  // On a narrow screen the parts are one strip, which begins with the first one.
  useLayoutEffect(() => {
    if (strip.current !== null) showInStrip(strip.current, strip.current.querySelector('[aria-current]'));
  }, [current]);
  // i18n: settings:tab.*
  return (
    <nav ref={strip} aria-label={t('nav:settings')} className="pt-card settings-nav">
      {TABS.map((id) => {
        const IconOf = TAB_ICONS[id];
        const changes = isForm(id) && settings !== null ? settings.changedIn(id).length : 0;
        return (
          <button
            key={id}
            type="button"
            className="settings-entry"
            aria-current={id === current || undefined}
            onClick={() => onSelect(id)}
          >
            <IconOf className="flex-none" aria-hidden />
            <span className="grow text-left">{t(`settings:tab.${id}`)}</span>
            {changes > 0 && (
              <span className="text-meta text-warn">{t('settings:changes', { count: changes })}</span>
            )}
          </button>
        );
      })}
    </nav>
  );
}
