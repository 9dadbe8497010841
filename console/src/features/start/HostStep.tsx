import { useT } from '#/lib/i18n';
import { NewHostForm } from '#/domain/new-host/NewHostForm';
import { LinkButton } from '#/ui/link';
import { toast } from '#/ui/toast';
import { readAgain } from './api';

/** Step: the form of a new host, which tests it in place, or the import for many hosts. */
export function HostStep({ onHold }: { readonly onHold: (isHeld: boolean) => void }) {
  const t = useT();
  const goOn = () => {
    onHold(false);
    void readAgain();
  };
  return (
    <NewHostForm
      onAdded={(made, host) => {
        const name = host.hostname.trim() || host.address.trim();
        toast({ tone: 'ok', text: t(made.permission ? 'new-host:done' : 'new-host:done_open', { name }) });
        void readAgain();
      }}
      // The step is done with the host; it stays open until the test is.
      onTesting={() => onHold(true)}
      onward={{ label: t('start:host.next'), untested: t('new-host:test.keep'), run: goOn }}
      more={
        <LinkButton to="/assets/assets" kind="text">
          {t('start:host.import')}
        </LinkButton>
      }
    />
  );
}
