import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_ORG_ID } from '#/lib/session';
import { admin, defaultOrg } from '#/test/render';
import { askAhead } from './ahead';
import { type GuardPorts, runGuard } from './machine';

const shanghai = { ...defaultOrg, id: 'shanghai', name: 'Shanghai', is_default: false };

function world(more: Partial<GuardPorts> = {}) {
  const ports: GuardPorts = {
    loadSettings: vi.fn<GuardPorts['loadSettings']>(() => Promise.resolve({})),
    csrfToken: () => 'a-csrf-token',
    loadProfile: vi.fn<GuardPorts['loadProfile']>(() => Promise.resolve(admin)),
    loadOrganization: vi.fn<GuardPorts['loadOrganization']>((id) =>
      Promise.resolve(id === shanghai.id ? shanghai : defaultOrg),
    ),
    organizationOfProfile: () => DEFAULT_ORG_ID,
    rememberedOrganization: () => null,
    rememberOrganization: () => undefined,
    rememberedRole: () => null,
    rememberRole: () => undefined,
    tellOrganizationLost: () => undefined,
    useOrganization: () => undefined,
    buildRoutes: () => undefined,
    ...more,
  };
  return ports;
}

describe('prefetched guard requests', () => {
  test('all requests are sent before the guard runs, and the guard sends none of its own', async () => {
    const ports = world();
    const ahead = askAhead(ports);
    for (const ask of [ports.loadSettings, ports.loadProfile, ports.loadOrganization])
      expect(ask).toHaveBeenCalledOnce();
    expect(ports.loadOrganization).toHaveBeenCalledWith(DEFAULT_ORG_ID);
    expect((await runGuard(ahead)).at).toBe('ready');
    for (const ask of [ports.loadSettings, ports.loadProfile, ports.loadOrganization])
      expect(ask).toHaveBeenCalledOnce();
  });

  test('each answer is used once: the next run of the guard asks the server again', async () => {
    const ports = world();
    const ahead = askAhead(ports);
    await runGuard(ahead);
    await runGuard(ahead);
    for (const ask of [ports.loadSettings, ports.loadProfile, ports.loadOrganization])
      expect(ask).toHaveBeenCalledTimes(2);
  });

  test('the profile is loaded again when the current organization turns out to be another one', async () => {
    const profile = { ...admin, admin_or_audit_orgs: [defaultOrg, shanghai] };
    const loadProfile = vi.fn<GuardPorts['loadProfile']>(() => Promise.resolve(profile));
    const exit = await runGuard(askAhead(world({ loadProfile, rememberedOrganization: () => shanghai })));
    expect(exit.at === 'ready' && exit.session.organization.id).toBe('shanghai');
    expect(loadProfile).toHaveBeenCalledTimes(2);
  });

  test('without a CSRF cookie only the settings are requested', async () => {
    const ports = world({ csrfToken: () => null });
    expect((await runGuard(askAhead(ports))).at).toBe('sign-in');
    expect(ports.loadSettings).toHaveBeenCalledOnce();
    expect(ports.loadProfile).not.toHaveBeenCalled();
    expect(ports.loadOrganization).not.toHaveBeenCalled();
  });

  test('a failed request fails its own step, whatever the other requests return', async () => {
    const error = new Error('no');
    const fail = () => Promise.reject(error);
    const all = world({ loadSettings: fail, loadProfile: fail, loadOrganization: fail });
    expect(await runGuard(askAhead(all))).toEqual({ at: 'failed', during: 'settings', error });
    const last = world({ loadOrganization: fail });
    expect(await runGuard(askAhead(last))).toEqual({ at: 'failed', during: 'organization', error });
  });
});
