import { useT } from '#/lib/i18n';
import { NewHostForm } from '#/domain/new-host/NewHostForm';
import { LinkButton } from '#/ui/link';
import { toast } from '#/ui/toast';
import { readAgain } from './api';

/** Step: the form of a new host, or the import for many hosts. */
export function HostStep() {
  const t = useT();
  return (
    <NewHostForm
      onAdded={(made, host) => {
        const name = host.hostname.trim() || host.address.trim();
        toast({ tone: 'ok', text: t(made.permission ? 'new-host:done' : 'new-host:done_open', { name }) });
        void readAgain();
      }}
      more={
        <LinkButton to="/assets/assets" kind="text">
          {t('start:host.import')}
        </LinkButton>
      }
    />
  );
}
