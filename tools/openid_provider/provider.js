/**
 * An OpenID Connect provider for tests: `node provider.js` with the settings as JSON in PROVIDER_SETTINGS. It prints its
 * port. Everybody whose name is typed into its sign-in page has signed in; the claims of `people` are theirs.
 *
 *     {"port": 0, "client": {…metadata of the client…}, "people": {"ann": {"name": "Ann", "groups": ["ops"]}}}
 */
import { Provider } from 'oidc-provider';

const settings = JSON.parse(process.env.PROVIDER_SETTINGS);
const people = settings.people;

const provider = new Provider(settings.issuer, {
  clients: [settings.client],
  cookies: { keys: ['only-for-tests'] },
  jwks: settings.jwks,
  claims: {
    openid: ['sub'],
    profile: ['name', 'preferred_username', 'groups', 'realm_access'],
    email: ['email', 'email_verified'],
  },
  features: {
    backchannelLogout: { enabled: true },
    devInteractions: { enabled: true },
    rpInitiatedLogout: { enabled: true },
  },
  // Our back-channel endpoint is on this machine.
  fetch: (url, options) => fetch(url, options),
  findAccount: (_context, id) =>
    people[id] && {
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id, ...people[id] }),
    },
  pkce: { required: () => true },
});

const server = provider.listen(settings.port, settings.host ?? '127.0.0.1', () => {
  console.log(server.address().port);
});
