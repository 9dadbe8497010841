import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { LicenceImport } from '#/domain/licence/LicenceImport';

/** Features that need a licence. */
const FEATURES = ['organizations', 'invitations'] as const;

/** What the enterprise edition is, whether it is active, and how to activate it. */
export function Enterprise() {
  const t = useT();
  const { settings, profile } = useSession();
  const isValid = settings.XPACK_LICENSE_IS_VALID === true;
  // i18n: help:feature.*
  return (
    <div className="grid gap-3">
      <Note tone={isValid ? 'ok' : 'info'}>{t(isValid ? 'help:licence.on' : 'help:licence.off')}</Note>
      <Card title={t('help:licence.opens')}>
        <ul className="grid gap-1 sm:grid-cols-2">
          {FEATURES.map((feature) => (
            <li key={feature}>{t(`help:feature.${feature}`)}</li>
          ))}
        </ul>
      </Card>
      {profile.role === 'Admin' && (
        <Card title={t('help:licence.import')}>
          <LicenceImport />
        </Card>
      )}
    </div>
  );
}
