import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { mayAskUnbidden } from '#/lib/http/asking';
import { http } from '#/lib/http/client';
import { Role } from '#/lib/permissions';
import { rememberedOrganization, rememberedRole, rememberRole, type Session } from '#/lib/session';
import { readCookie } from '#/lib/storage';
import { adminSession, defaultOrg, renderScreen, rootOrg } from '#/test/render';
import { OrganizationSelector } from './OrganizationSelector';
import { signOut } from './sign-out';
import { addressAfterSwitch, offersOrganizations, switchOrganization } from './switch-organization';
import { maySwitchPage, switchPage } from './switch-page';

const shanghai = {
  id: 'b7e2b2a5-5f37-4c8e-9a3e-2f4f2d4f2a11',
  name: 'Shanghai',
  is_default: false,
  is_root: false,
};
const licensed: Session = {
  ...adminSession,
  settings: { XPACK_LICENSE_IS_VALID: true },
  organizations: [rootOrg, defaultOrg, shanghai],
};

const server = setupServer(
  mock.get('*/api/v1/orgs/orgs/current/', ({ request }) =>
    new URL(request.url).searchParams.get('oid') === shanghai.id
      ? HttpResponse.json(shanghai)
      : HttpResponse.json({ detail: 'no' }, { status: 403 }),
  ),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const assign = vi.fn<(address: string) => void>();
const reload = vi.fn<() => void>();
beforeEach(() => {
  assign.mockReset();
  reload.mockReset();
  vi.spyOn(browserLocation, 'assign').mockImplementation(assign);
  vi.spyOn(browserLocation, 'reload').mockImplementation(reload);
});

describe('switching the organization', () => {
  test('[S4-024] [S4-025] [S4-026] [S3-084] [S3-085] [S6-050] it forgets the role, remembers the organization and reloads', async () => {
    rememberRole('admin', Role.SuperAdmin);
    rememberRole('zhang', Role.User);
    await switchOrganization(shanghai.id, licensed);
    expect(rememberedRole('admin')).toBeNull();
    expect(rememberedRole('zhang')).toBe(Role.User);
    expect(rememberedOrganization('admin')).toEqual(shanghai);
    expect(rememberedOrganization('zhang')).toBeNull();
    expect(JSON.parse(localStorage.getItem('jms_current_org_admin') ?? '')).toEqual(shanghai);
    expect(readCookie('X-JMS-ORG')).toBe(shanghai.id);
    expect(reload).toHaveBeenCalledOnce();
    expect(assign).not.toHaveBeenCalled();
  });

  test('[S4-027] it goes to the root address when the current address holds an id', async () => {
    history.replaceState(null, '', `/ui/assets/assets/${shanghai.id}?activeTab=a`);
    await switchOrganization(shanghai.id, licensed);
    expect(assign).toHaveBeenCalledWith('/ui/');
    expect(reload).not.toHaveBeenCalled();
    history.replaceState(null, '', '/ui/');
    expect(addressAfterSwitch('http://h/ui/users/users?page=2')).toBeNull();
  });

  test('it leaves everything unchanged when the server refuses', async () => {
    rememberRole('admin', Role.SuperAdmin);
    await expect(switchOrganization('elsewhere', licensed)).rejects.toThrow('no');
    expect(rememberedRole('admin')).toBe(Role.SuperAdmin);
    expect(rememberedOrganization('admin')).toBeNull();
    expect(reload).not.toHaveBeenCalled();
  });

  test('[S1-090] the selector of the sidebar switches', async () => {
    await renderScreen(<OrganizationSelector folded={false} />, { session: licensed });
    await userEvent.click(await screen.findByRole('button', { name: /Organization/ }));
    expect(screen.getByRole('menuitemradio', { name: 'Default' }).getAttribute('aria-checked')).toBe('true');
    await userEvent.click(screen.getByRole('menuitemradio', { name: 'Shanghai' }));
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
    expect(rememberedOrganization('admin')).toEqual(shanghai);
  });

  test('[S6-041] [S6-042] the selector is shown only on admin pages and only with a valid licence', async () => {
    expect(offersOrganizations(licensed, true)).toBe(true);
    expect(offersOrganizations(licensed, false)).toBe(false);
    expect(offersOrganizations({ ...licensed, settings: {} }, true)).toBe(false);
    const { unmount } = await renderScreen(
      <>
        <p>here</p>
        <OrganizationSelector folded={false} />
      </>,
      {
        session: { ...licensed, currentRole: Role.User },
      },
    );
    await screen.findByText('here');
    expect(screen.queryByRole('button', { name: /Organization/ })).toBeNull();
    unmount();
    await renderScreen(
      <>
        <p>here</p>
        <OrganizationSelector folded={false} />
      </>,
    );
    await screen.findByText('here');
    expect(screen.queryByRole('button', { name: /Organization/ })).toBeNull();
  });
});

describe('switching the page', () => {
  test('[S4-028] [S3-083] it sets the role of the person and reloads the console', () => {
    switchPage(adminSession);
    expect(rememberedRole('admin')).toBe(Role.User);
    expect(localStorage.getItem('jms_current_role_admin')).toBe('1');
    expect(assign).toHaveBeenLastCalledWith('/ui/');
    switchPage({ ...adminSession, currentRole: Role.User });
    expect(rememberedRole('admin')).toBe(Role.SuperAdmin);
    expect(assign).toHaveBeenCalledTimes(2);
  });

  test('[S6-040] it is offered to a person with one role who manages an organization', () => {
    const auditor = { ...adminSession, roles: [Role.OrgAuditor], permissions: Role.OrgAuditor };
    expect(maySwitchPage({ ...auditor, organizations: [defaultOrg] })).toBe(true);
    expect(maySwitchPage({ ...auditor, organizations: [] })).toBe(false);
  });

  test('[S6-039] it is offered to a person with several roles here who manages no organization', () => {
    const both = { ...adminSession, roles: [Role.OrgAdmin, Role.User], organizations: [] };
    expect(maySwitchPage(both)).toBe(true);
    expect(maySwitchPage({ ...both, roles: [Role.User] })).toBe(false);
  });

  test('[S6-040] a person who manages only another organization gets to the admin page of that one', () => {
    const member: Session = {
      ...adminSession,
      roles: [Role.User],
      permissions: Role.User,
      currentRole: Role.User,
      organizations: [shanghai],
    };
    expect(maySwitchPage(member)).toBe(true);
    rememberRole('admin', Role.User);
    switchPage(member);
    expect(rememberedOrganization('admin')).toEqual(shanghai);
    // No role is stored: the guard chooses the role of the admin page there.
    expect(rememberedRole('admin')).toBe(Role.Anon);
    expect(assign).toHaveBeenLastCalledWith('/ui/');
  });
});

describe('signing out', () => {
  const asked = vi.fn<() => void>();
  const unload = () => {
    const event = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(event);
    return event;
  };
  beforeEach(() => {
    asked.mockReset();
    server.use(
      mock.get('*/api/v1/asked/', () => {
        asked();
        return HttpResponse.json({});
      }),
    );
  });
  afterEach(() => {
    // As when a browser restores the page from its back-forward cache.
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  });

  test('[S7-083] it goes through the server and names the address to return to', () => {
    signOut();
    expect(assign).toHaveBeenCalledWith('/core/auth/logout/?next=%2Fui%2F');
  });

  test('once it has begun, no request is sent and pending requests are aborted', async () => {
    let signal: AbortSignal | undefined;
    const sent = vi.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
      signal = init?.signal ?? undefined;
      return new Promise(() => {});
    });
    void http.get('slow/');
    signOut();
    expect(signal?.aborted).toBe(false);
    unload();
    expect(signal?.aborted).toBe(true);
    expect(mayAskUnbidden()).toBe(false);
    sent.mockClear();
    void http.get('asked/');
    void http.post('asked/', {});
    expect(sent).not.toHaveBeenCalled();
    sent.mockRestore();
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    await http.get('asked/');
    expect(asked).toHaveBeenCalledOnce();
  });

  test('a person who stays because of an unsaved form continues to send requests', async () => {
    const keep = (event: Event) => event.preventDefault();
    window.addEventListener('beforeunload', keep);
    signOut();
    expect(unload().defaultPrevented).toBe(true);
    window.removeEventListener('beforeunload', keep);
    await http.get('asked/');
    expect(asked).toHaveBeenCalledOnce();
    // Leaving the page later for another reason does not count as signing out.
    unload();
    await http.get('asked/');
    expect(asked).toHaveBeenCalledTimes(2);
  });
});
