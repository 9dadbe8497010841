import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import type { SettingsForm } from '../use-settings-form';
import { stateQuery } from './api';
import { ImportDialog } from './ImportDialog';
import { ConnectionTest, LoginTest } from './LdapTests';
import { SyncCard } from './SyncCard';

/** Beside the LDAP form: tests, import and synchronisation. */
export function LdapPanel({ settings }: { readonly settings: SettingsForm }) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const client = useQueryClient();
  const saved = JSON.stringify(settings.form.formState.defaultValues);
  useEffect(() => {
    // The worker reads the directory again after its settings were saved.
    void client.invalidateQueries({ queryKey: stateQuery.queryKey });
  }, [client, saved]);
  const isConfigured = useQuery(stateQuery).data?.is_configured === true;
  return (
    <div className="grid gap-3">
      <ConnectionTest settings={settings} />
      <LoginTest />
      <Card title={t('settings:ldap.people.title')}>
        <div className="grid gap-3">
          <p className="text-ink-2">
            {t(isConfigured ? 'settings:ldap.people.how' : 'settings:ldap.people.not_set')}
          </p>
          <div>
            <Button disabled={!isConfigured} onClick={() => setOpen(true)}>
              {t('settings:ldap.people.open')}
            </Button>
          </div>
        </div>
      </Card>
      <SyncCard />
      {isOpen && <ImportDialog onClose={() => setOpen(false)} />}
    </div>
  );
}
