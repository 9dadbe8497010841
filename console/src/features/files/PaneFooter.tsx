import { byteText } from '#/lib/byte-text';
import { useT } from '#/lib/i18n';
import { Switch } from '#/ui/choice';
import type { PaneModel } from './pane-model';
import { setPreferences, useWorkspace } from './workspace';

/** How much there is, and what the permissions allow. */
export function PaneFooter({ pane }: { readonly pane: PaneModel }) {
  const t = useT();
  const hidden = useWorkspace((state) => state.preferences.hidden);
  const { folder, rows, rights, session } = pane;
  const free = folder.place?.free;
  const facts = [
    t('files:entries', { count: folder.entries.length }),
    rows.length < folder.entries.length ? t('files:shown', { count: rows.length }) : '',
    free === null || free === undefined ? '' : t('files:free', { size: byteText(free) }),
  ].filter((fact) => fact !== '');
  return (
    <footer className="flex min-h-8 flex-none flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-3 text-meta text-ink-2">
      <span className="tabular-nums">{facts.join(' · ')}</span>
      <span className="grow" />
      <Switch checked={hidden} onChange={(event) => setPreferences({ hidden: event.target.checked })}>
        {t('files:hidden')}
      </Switch>
      {session.opened && (
        <ul aria-label={t('files:rights')} className="flex flex-wrap gap-1">
          <li className="pt-chip">{t(rights.upload ? 'files:may.upload' : 'files:may.not_upload')}</li>
          <li className="pt-chip">{t(rights.download ? 'files:may.download' : 'files:may.not_download')}</li>
        </ul>
      )}
    </footer>
  );
}
