import type { FormValues } from '#/resource/define';
import { AddressesCard } from '../vouching/AddressesCard';
import { TestAside } from '../vouching/TestAside';

const LOGIN = '/core/auth/login/';
const SENT = ['slug', 'issuer', 'client_id', 'client_secret', 'scopes', 'signs_out'] as const;

/** Beside the form: the test, which asks the provider, and what the provider wants to know of us. */
export function ProviderAside({
  values,
  id,
}: {
  readonly values: FormValues;
  readonly id: string | undefined;
}) {
  const slug = String(values['slug'] ?? '');
  const own = `/core/auth/openid/${slug}`;
  const body = { id: id ?? null, ...Object.fromEntries(SENT.map((name) => [name, values[name]])) };
  return (
    <TestAside how="settings:openid.test_how" path="authentication/openid-providers/test/" body={body}>
      <AddressesCard
        slug={slug}
        how="settings:openid.addresses_how"
        items={[
          ['settings:openid.redirect_uri', `${own}/callback/`],
          ['settings:openid.logout_uri', LOGIN],
          ['settings:openid.back_channel_uri', `${own}/back-channel-logout/`],
        ]}
      />
    </TestAside>
  );
}
