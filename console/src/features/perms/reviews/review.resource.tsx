import { CirclePause, ClipboardCheck, Pencil } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { paths } from '#/lib/paths';
import { type ActionTools, defineResource } from '#/resource/define';
import { ChipsCell, TimeCell } from '#/resource/format';
import { confirm } from '#/ui/confirm';
import { CellLink } from '#/ui/link';
import { Badge, type BadgeTone } from '#/ui/status';
import { toast } from '#/ui/toast';
import { VisibleText, visible } from '#/ui/visible-text';
import { UnusedPeople } from './UnusedPeople';

export type ReviewRow = Pick<
  Api<'ReviewedPermission'>,
  | 'id'
  | 'name'
  | 'findings'
  | 'date_last_used'
  | 'date_expired'
  | 'is_active'
  | 'created_by'
  | 'users_display'
  | 'user_groups_display'
  | 'assets_display'
  | 'nodes_display'
>;

const TONE: Readonly<Record<string, BadgeTone>> = { unused: 'warn', expired: 'danger', ending: 'info' };

function Findings({ row }: { readonly row: ReviewRow }) {
  // i18n: reviews:finding.*
  return (
    <span className="flex flex-wrap gap-1">
      {row.findings.map((finding) => (
        <Badge key={finding} tone={TONE[finding] ?? 'neutral'}>
          {translate(`reviews:finding.${finding}`)}
        </Badge>
      ))}
    </span>
  );
}

function LastUsed({ row }: { readonly row: ReviewRow }) {
  if (row.date_last_used === null) return translate('reviews:never');
  return <TimeCell value={row.date_last_used} />;
}

/** Administrators of one organization can change its permissions; auditors only read the review. */
const mayMend = (): boolean =>
  currentSession()?.organization.is_root === false && currentSession()?.profile.is_org_admin === true;

/** Auditors may not open the page of a permission. */
function PermissionName({ row }: { readonly row: ReviewRow }) {
  if (currentSession()?.profile.is_org_admin !== true) return <VisibleText text={row.name} />;
  return (
    <CellLink to={paths.assetPermission(row.id)} className="pt-link font-medium">
      <VisibleText text={row.name} />
    </CellLink>
  );
}

async function deactivate(row: ReviewRow, tools: ActionTools): Promise<void> {
  await confirm({
    title: translate('reviews:deactivate.question', { name: visible(row.name) }),
    effect: translate('reviews:deactivate.effect'),
    confirmLabel: translate('reviews:deactivate.label'),
    danger: true,
    run: async () => {
      await http.patch(`perms/asset-permissions/${row.id}/`, { is_active: false }, { quiet: true });
      toast({ tone: 'ok', text: translate('reviews:deactivate.done', { name: visible(row.name) }) });
      tools.refresh();
    },
  });
}

/** Permissions with their last use, and what the review finds about them. `days`: without use. */
export function reviewOf(days: number) {
  return defineResource<ReviewRow, 'perms/reviews/asset-permissions/', 'who' | 'what'>({
    name: 'PermissionReviewTable',
    api: 'perms/reviews/asset-permissions/',
    routes: {
      names: { list: 'PermissionReview' },
      paths: { list: '/perms/reviews' },
      titles: { list: 'nav:permission_review' },
    },
    icon: ClipboardCheck,
    nameOf: (row) => row.name,
    noun: { one: 'reviews:one', many: 'reviews:many', what: 'reviews:none' },
    can: { create: false, clone: false, update: () => false, deleteMany: false },
    list: {
      place: ['show', 'unused'],
      columns: [
        {
          key: 'name',
          cell: (row) => <PermissionName row={row} />,
        },
        { key: 'findings', sortable: false, cell: (row) => <Findings row={row} /> },
        { key: 'date_last_used', sortable: false, cell: (row) => <LastUsed row={row} /> },
        {
          key: 'who',
          label: 'reviews:who',
          sortable: false,
          cell: (row) => <ChipsCell values={[...row.users_display, ...row.user_groups_display]} />,
        },
        {
          key: 'what',
          label: 'reviews:what',
          sortable: false,
          cell: (row) => <ChipsCell values={[...row.nodes_display, ...row.assets_display]} />,
        },
        { key: 'date_expired', cell: (row) => <TimeCell value={row.date_expired} /> },
        { key: 'created_by', sortable: false },
      ],
      untyped: ['finding', 'days', 'within'],
      isInactive: (row) => !row.is_active,
      details: (row) => <UnusedPeople permissionId={row.id} days={days} />,
      phone: {
        icon: ClipboardCheck,
        meta: (row) => <LastUsed row={row} />,
        status: (row) => <Findings row={row} />,
      },
      rowActions: [
        {
          id: 'mend',
          label: 'reviews:mend',
          icon: Pencil,
          order: 10,
          isOffered: mayMend,
          run: (row, tools) => tools.navigate(`${paths.assetPermission(row.id)}/update`),
        },
        {
          id: 'deactivate',
          label: 'reviews:deactivate.label',
          icon: CirclePause,
          order: 20,
          danger: true,
          isOffered: (row) => mayMend() && row.is_active,
          run: deactivate,
        },
      ],
    },
  });
}
