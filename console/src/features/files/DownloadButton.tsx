import { Download } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Button, buttonLook } from '#/ui/button';
import { MenuButton } from '#/ui/menu';
import { isFile } from './file-paths';
import { pathIn } from './pane-commands';
import type { PaneModel } from './pane-model';
import { saveFrom } from './save-from';

/** Longer addresses are refused on the way. */
const LONGEST_URL = 8000;

/** One file is an ordinary link; several, or folders, come in an archive. */
export function DownloadButton({ pane }: { readonly pane: PaneModel }) {
  const t = useT();
  const { api, chosen, noDownload } = pane;
  const [first] = chosen;
  const label = (
    <>
      <Download aria-hidden />
      {t('files:download.download')}
    </>
  );
  if (api === null || first === undefined) return null;
  const paths = chosen.map((entry) => pathIn(pane, entry));
  const archive = (format: 'zip' | 'tar'): string => api.archiveUrl(paths, format);
  const reason =
    noDownload ?? (archive('zip').length > LONGEST_URL ? t('files:download.too_many') : undefined);
  if (reason !== undefined)
    return (
      <Button size="sm" kind="text" icon={Download} disabledReason={reason}>
        {t('files:download.download')}
      </Button>
    );
  if (chosen.length === 1 && isFile(first))
    return (
      <a
        className="pt-button"
        {...buttonLook({ kind: 'text', size: 'sm' })}
        href={api.contentUrl(pathIn(pane, first))}
        download
      >
        {label}
      </a>
    );
  return (
    <MenuButton
      label={t('files:download.download')}
      kind="text"
      size="sm"
      align="start"
      entries={(['zip', 'tar'] as const).map((format) => ({
        id: format,
        label: t(format === 'zip' ? 'files:download.zip' : 'files:download.tar'),
        run: () => saveFrom(archive(format)),
      }))}
    >
      {label}
    </MenuButton>
  );
}
