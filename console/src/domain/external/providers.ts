/** Who can tell us who somebody is; parts of addresses and of setting names. */
export const PROVIDERS = ['wecom', 'dingtalk', 'feishu'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The providers that are switched on in these public settings. */
export function providersOn(settings: object): readonly ProviderName[] {
  const values = settings as Readonly<Record<string, unknown>>;
  return PROVIDERS.filter((name) => values[`AUTH_${name.toUpperCase()}`] === true);
}

/** Whether the account of a person at this provider is bound. */
export function isBound(person: object, name: ProviderName): boolean {
  return (person as Readonly<Record<string, unknown>>)[`is_${name}_bound`] === true;
}

/** A provider that vouches for its people. `kind`: its protocol, `id`: both are parts of its addresses. */
export interface VouchingProvider {
  readonly kind: 'openid' | 'saml';
  readonly id: string;
  readonly name: string;
}

/** The page of the server that leads to a provider that vouches for its people. */
export function vouchingAddress({ kind, id }: VouchingProvider, next: string | null): string {
  const query = next === null ? '' : `?next=${encodeURIComponent(next)}`;
  return `/core/auth/${kind}/${encodeURIComponent(id)}/login/${query}`;
}

/** The page of the server that leads to the provider. */
export function startAddress(name: ProviderName, step: 'login' | 'bind', next: string | null): string {
  const parameter = step === 'login' ? 'next' : 'redirect_url';
  const query = next === null ? '' : `?${parameter}=${encodeURIComponent(next)}`;
  return `/core/auth/${name}/qr/${step}/${query}`;
}
