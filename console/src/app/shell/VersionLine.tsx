import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { API_LEVEL } from '#/lib/version';

/** Footer: the version and, without a licence, the GPL note and the copyright line. */
export function VersionLine() {
  const t = useT();
  const { settings } = useSession();
  return (
    <footer className="flex-none border-t border-line px-3.5 py-2 text-meta text-ink-3">
      <p className="flex justify-between">
        <span>Postern {__POSTERN_VERSION__}</span>
        <span>API {API_LEVEL}</span>
      </p>
      {settings.XPACK_LICENSE_IS_VALID !== true && (
        <p className="mt-1">
          {t('app:shell.gpl')}
          <br />
          {t('app:shell.copyright')}
        </p>
      )}
    </footer>
  );
}
