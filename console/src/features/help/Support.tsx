import { Copy } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { browserZone } from '#/lib/time';
import { API_LEVEL } from '#/lib/version';
import { Button } from '#/ui/button';
import { Card, Definitions } from '#/ui/card';
import { copyText } from '#/ui/clipboard';

/** Facts that a support request should contain, ready to be copied. None of them is secret. */
export function Support() {
  const t = useT();
  const { organization, currentRole } = useSession();
  const facts = [
    { label: t('help:support.version'), value: `Postern ${__POSTERN_VERSION__}, API ${API_LEVEL}` },
    { label: t('help:support.address'), value: location.origin },
    { label: t('help:support.organization'), value: organization.name },
    { label: t('help:support.role'), value: String(currentRole) },
    { label: t('help:support.browser'), value: navigator.userAgent },
    { label: t('help:support.zone'), value: browserZone() },
  ];
  return (
    <div className="grid gap-3">
      <Card title={t('help:support.title')}>
        <ol className="grid list-decimal gap-1 pl-5">
          <li>{t('help:support.step_id')}</li>
          <li>
            {t('help:support.step_health')}{' '}
            <a className="pt-link underline" href="/api/health/" target="_blank" rel="noreferrer">
              {t('help:support.health')}
            </a>
          </li>
          <li>{t('help:support.step_facts')}</li>
        </ol>
      </Card>
      <Card
        title={t('help:support.facts')}
        flush
        actions={
          <Button
            size="sm"
            icon={Copy}
            onClick={() => copyText(facts.map(({ label, value }) => `${label}: ${value}`).join('\n'))}
          >
            {t('ui:copy')}
          </Button>
        }
      >
        <Definitions items={facts} />
      </Card>
    </div>
  );
}
