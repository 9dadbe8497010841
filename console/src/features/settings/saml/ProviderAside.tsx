import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';
import { AddressesCard } from '../vouching/AddressesCard';
import { TestAside } from '../vouching/TestAside';

const SENT = ['slug', 'metadata', 'idp_entity_id', 'sso_url', 'slo_url', 'certificates'] as const;

/** Beside the form: the test, which checks the values, and what the provider wants to know of us. */
export function ProviderAside({
  values,
  id,
}: {
  readonly values: FormValues;
  readonly id: string | undefined;
}) {
  const t = useT();
  const slug = String(values['slug'] ?? '');
  const own = `/core/auth/saml/${slug}`;
  const body = Object.fromEntries(SENT.map((name) => [name, values[name] ?? '']));
  return (
    <TestAside how="settings:saml.test_how" path="authentication/saml-providers/test/" body={body}>
      <AddressesCard
        slug={slug}
        how="settings:saml.addresses_how"
        items={[
          ['settings:saml.entity_id', `${own}/metadata/`],
          ['settings:saml.acs_url', `${own}/acs/`],
          ['settings:saml.logout_url', `${own}/logout/`],
        ]}
      >
        {id !== undefined && (
          <a
            className="mt-2 inline-block"
            href={`/core/auth/saml/${encodeURIComponent(slug)}/metadata/`}
            download
          >
            {t('settings:saml.own_metadata')}
          </a>
        )}
      </AddressesCard>
    </TestAside>
  );
}
