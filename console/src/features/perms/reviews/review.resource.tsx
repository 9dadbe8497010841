import { CirclePause, ClipboardCheck, Pencil } from 'lucide-react';
import { accessEffect } from '#/domain/access-preview/effects';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { paths } from '#/lib/paths';
import { type ActionTools, defineResource, type ResourceDefinition } from '#/resource/define';
import { ChipsCell, TimeCell } from '#/resource/format';
import { confirm } from '#/ui/confirm';
import { CellLink } from '#/ui/link';
import { Badge, type BadgeTone } from '#/ui/status';
import { toast } from '#/ui/toast';
import { VisibleText, visible } from '#/ui/visible-text';
import { UnusedPeople } from './UnusedPeople';

type Common = Pick<
  Api<'ReviewedPermission'>,
  | 'id'
  | 'name'
  | 'findings'
  | 'date_expired'
  | 'is_active'
  | 'created_by'
  | 'users_display'
  | 'user_groups_display'
>;
/** A permission of either kind. Only those of assets have uses. */
export type ReviewRow = Common &
  (
    | Pick<Api<'ReviewedPermission'>, 'date_last_used' | 'assets_display' | 'nodes_display'>
    | Pick<Api<'ReviewedApplicationPermission'>, 'applications_display' | 'type_display'>
  );

export const REVIEWED = ['asset', 'application'] as const;
/** What the reviewed permissions grant. */
export type Reviewed = (typeof REVIEWED)[number];

interface Kind {
  readonly api: 'perms/reviews/asset-permissions/' | 'perms/reviews/application-permissions/';
  readonly permissions: string;
  readonly page: (id: string) => string;
}

const KINDS: Readonly<Record<Reviewed, Kind>> = {
  asset: {
    api: 'perms/reviews/asset-permissions/',
    permissions: 'perms/asset-permissions/',
    page: paths.assetPermission,
  },
  application: {
    api: 'perms/reviews/application-permissions/',
    permissions: 'perms/application-permissions/',
    page: paths.applicationPermission,
  },
};

function targetsOf(row: ReviewRow): readonly string[] {
  return 'assets_display' in row ? [...row.nodes_display, ...row.assets_display] : row.applications_display;
}

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
  if (!('date_last_used' in row)) return <span className="text-ink-3">{translate('reviews:not_known')}</span>;
  if (row.date_last_used === null) return translate('reviews:never');
  return <TimeCell value={row.date_last_used} />;
}

/** Administrators of one organization can change its permissions; auditors only read the review. */
const mayMend = (): boolean =>
  currentSession()?.organization.is_root === false && currentSession()?.profile.is_org_admin === true;

/** Auditors may not open the page of a permission. */
function PermissionName({ row, kind }: { readonly row: ReviewRow; readonly kind: Kind }) {
  if (currentSession()?.profile.is_org_admin !== true) return <VisibleText text={row.name} />;
  return (
    <CellLink to={kind.page(row.id)} className="pt-link font-medium">
      <VisibleText text={row.name} />
    </CellLink>
  );
}

async function deactivate(of: Reviewed, row: ReviewRow, tools: ActionTools): Promise<void> {
  const values = { is_active: false };
  await confirm({
    title: translate('reviews:deactivate.question', { name: visible(row.name) }),
    effect: translate('reviews:deactivate.effect'),
    extra: accessEffect([{ object: `${of}_permission`, action: 'update', id: row.id, values }]),
    confirmLabel: translate('reviews:deactivate.label'),
    danger: true,
    run: async () => {
      await http.patch(`${KINDS[of].permissions}${row.id}/`, values, { quiet: true });
      toast({ tone: 'ok', text: translate('reviews:deactivate.done', { name: visible(row.name) }) });
      tools.refresh();
    },
  });
}

/**
 * Permissions of assets or applications with their last use, and what the review finds about them. `days`: without use.
 */
export function reviewOf(of: Reviewed, days: number): ResourceDefinition<ReviewRow> {
  const kind = KINDS[of];
  // i18n: reviews:none.*
  // i18n: reviews:what.*
  return defineResource<ReviewRow, Kind['api'], 'who' | 'what' | 'use'>({
    name: of === 'asset' ? 'PermissionReviewTable' : 'ApplicationPermissionReviewTable',
    api: kind.api,
    routes: {
      names: { list: 'PermissionReview' },
      paths: { list: '/perms/reviews' },
      titles: { list: 'nav:permission_review' },
    },
    icon: ClipboardCheck,
    nameOf: (row) => row.name,
    noun: { one: 'reviews:one', many: 'reviews:many', what: `reviews:none.${of}` },
    can: { create: false, clone: false, update: () => false, deleteMany: false },
    list: {
      place: ['of', 'show', 'unused'],
      columns: [
        {
          key: 'name',
          cell: (row) => <PermissionName row={row} kind={kind} />,
        },
        { key: 'findings', sortable: false, cell: (row) => <Findings row={row} /> },
        { key: 'use', label: 'reviews:last_used', sortable: false, cell: (row) => <LastUsed row={row} /> },
        {
          key: 'who',
          label: 'reviews:who',
          sortable: false,
          cell: (row) => <ChipsCell values={[...row.users_display, ...row.user_groups_display]} />,
        },
        {
          key: 'what',
          label: `reviews:what.${of}`,
          sortable: false,
          cell: (row) => <ChipsCell values={targetsOf(row)} />,
        },
        { key: 'date_expired', cell: (row) => <TimeCell value={row.date_expired} /> },
        { key: 'created_by', sortable: false },
      ],
      untyped: ['finding', 'days', 'within'],
      isInactive: (row) => !row.is_active,
      ...(of === 'asset' && {
        details: (row: ReviewRow) => <UnusedPeople permissionId={row.id} days={days} />,
      }),
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
          run: (row, tools) => tools.navigate(`${kind.page(row.id)}/update`),
        },
        {
          id: 'deactivate',
          label: 'reviews:deactivate.label',
          icon: CirclePause,
          order: 20,
          danger: true,
          isOffered: (row) => mayMend() && row.is_active,
          run: (row, tools) => deactivate(of, row, tools),
        },
      ],
    },
  });
}
