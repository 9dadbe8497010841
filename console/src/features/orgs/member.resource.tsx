import { User, UserMinus } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { type ActionTools, defineResource } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

export const MEMBERS = 'orgs/org-member-relation/';

/** One role of one person in one organization. */
interface MemberRow {
  readonly id: string;
  readonly user: string;
  /** `Name(username)`. */
  readonly user_display: string;
  readonly role: string;
  readonly role_display: string;
  readonly org_display: string;
}

/** Removes one role. When the last role is removed, the person leaves the organization. */
async function remove(row: MemberRow, tools: ActionTools): Promise<boolean> {
  const names = { name: row.user_display, role: row.role_display, organization: row.org_display };
  const isRemoved = await confirm({
    title: translate('orgs:remove.question', names),
    effect: translate('orgs:remove.effect'),
    confirmLabel: translate('orgs:remove.confirm'),
    danger: true,
    run: () => http.delete(`${MEMBERS}${row.id}/`, { quiet: true }),
  });
  if (!isRemoved) return false;
  toast({ tone: 'ok', text: translate('orgs:remove.done', names) });
  tools.refresh();
  return true;
}

/** Members of an organization. `removed` is called after a role was removed. */
export const membersOf = (removed: () => void) =>
  defineResource<MemberRow, 'orgs/org-member-relation/'>({
    name: 'OrganizationMemberTable',
    api: MEMBERS,
    routes: {
      names: { list: 'OrganizationList' },
      paths: { list: '/xpack/orgs' },
      titles: { list: 'orgs:tab.members' },
    },
    icon: User,
    nameOf: (row) => row.user_display,
    noun: { one: 'orgs:member.one', many: 'orgs:member.many', what: 'orgs:member.what' },
    can: { create: false, deleteMany: false },
    list: {
      columns: [{ key: 'user_display', label: 'orgs:member.user' }, 'role'],
      untyped: ['org', 'user'],
      rowActions: [
        {
          id: 'remove',
          label: 'orgs:remove.action',
          icon: UserMinus,
          order: 20,
          danger: true,
          run: async (row, tools) => {
            if (await remove(row, tools)) removed();
          },
        },
      ],
      phone: { icon: User, meta: (row) => <span>{row.role_display}</span> },
    },
  });
