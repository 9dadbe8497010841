import { FileDown, KeyRound, LogIn, ScrollText } from 'lucide-react';
import { type Transfer, TransferOutcome } from '#/domain/transfers/TransferOutcome';
import { translate } from '#/lib/i18n';
import { type Column, defineResource } from '#/resource/define';
import { MonoCell, TextCell, TimeCell, valueOf } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { Status } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import { ChangedFields } from './ChangedFields';
import { EventDetails, type EventStatement } from './EventDetails';

/** Default length of the date range, in days. */
const DAYS = 7;
const READ_ONLY = { create: false, deleteMany: false } as const;

interface LogRow {
  readonly id: string;
}

interface LoginRow extends LogRow {
  readonly username: string;
  readonly status: boolean;
  readonly reason: string;
  readonly ip: string | null;
}

interface FtpRow extends LogRow, Transfer {
  readonly filename: string;
  readonly user: string;
  readonly asset: string;
  readonly operate_display: string;
}

interface PasswordChangeRow extends LogRow {
  readonly user: string;
  readonly change_by: string;
}

type OperateRow = EventStatement;

/** Audit pages always show the exact time. */
function exact<Row extends LogRow, Key extends string>(key: Key): Column<Row, Key> {
  return { key, sortable: true, cell: (row) => <TimeCell value={valueOf(row, key)} exact /> };
}

function mono<Row extends LogRow, Key extends string>(key: Key): Column<Row, Key> {
  return { key, cell: (row) => <MonoCell value={valueOf(row, key)} /> };
}

function Outcome({ ok }: { readonly ok: boolean }) {
  return <Status tone={ok ? 'ok' : 'danger'}>{translate(ok ? 'audits:success' : 'audits:failed')}</Status>;
}

/** Why a sign-in was refused. The log stores a code; the reader needs words. */
const REASONS: Readonly<Record<string, string>> = {
  password_failed: 'audits:reason.password_failed',
  block_login: 'audits:reason.block_login',
  user_inactive: 'audits:reason.user_inactive',
  user_expired: 'audits:reason.user_expired',
  password_expired: 'audits:reason.password_expired',
  notice_unconfirmed: 'audits:reason.notice_unconfirmed',
  mfa_failed: 'audits:reason.mfa_failed',
  block_mfa: 'audits:reason.block_mfa',
  mfa_unset: 'audits:reason.mfa_unset',
  acl_not_allow: 'audits:reason.acl_not_allow',
  passkey_failed: 'audits:reason.passkey_failed',
  passkey_lapsed: 'audits:reason.passkey_lapsed',
  passkey_unknown: 'audits:reason.passkey_unknown',
  only_local_users_are_allowed: 'audits:reason.only_local_users_are_allowed',
  key_without_pin: 'audits:reason.key_without_pin',
  certificate_untrusted: 'audits:reason.certificate_untrusted',
  certificate_of_host: 'audits:reason.certificate_of_host',
  certificate_revoked: 'audits:reason.certificate_revoked',
  certificate_expired: 'audits:reason.certificate_expired',
  certificate_not_yet_valid: 'audits:reason.certificate_not_yet_valid',
  certificate_too_long: 'audits:reason.certificate_too_long',
  certificate_other_name: 'audits:reason.certificate_other_name',
  certificate_option: 'audits:reason.certificate_option',
  certificate_address: 'audits:reason.certificate_address',
  certificate_pin: 'audits:reason.certificate_pin',
  certificate_no_terminal: 'audits:reason.certificate_no_terminal',
  certificate_source: 'audits:reason.certificate_source',
  session_empty: 'audits:reason.session_empty',
  external_lapsed: 'audits:reason.external_lapsed',
  external_failed: 'audits:reason.external_failed',
  external_not_bound: 'audits:reason.external_not_bound',
  user_not_exist: 'audits:reason.user_not_exist',
  sso_link_used: 'audits:reason.sso_link_used',
  sso_auth_closed: 'audits:reason.sso_auth_closed',
  backend_not_match: 'audits:reason.backend_not_match',
  user_invalid: 'audits:reason.user_invalid',
  service_account: 'audits:reason.service_account',
};

function Reason({ code }: { readonly code: string }) {
  const words = REASONS[code];
  return <TextCell value={words === undefined ? code : translate(words)} />;
}

const loginLog = defineResource<LoginRow, 'audits/login-logs/'>({
  name: 'LoginLogTable',
  api: 'audits/login-logs/',
  routes: {
    names: { list: 'LoginLog' },
    paths: { list: '/audits/login-log' },
    titles: { list: 'nav:login_log' },
  },
  icon: LogIn,
  nameOf: (row) => row.username,
  noun: { one: 'audits:login.one', many: 'audits:login.many', what: 'audits:login.what' },
  can: READ_ONLY,
  list: {
    columns: [
      'username',
      'type',
      'backend',
      mono('ip'),
      'city',
      'user_agent',
      'mfa',
      { key: 'reason', cell: (row) => <Reason code={row.reason} /> },
      { key: 'status', cell: (row) => <Outcome ok={row.status} /> },
      exact('datetime'),
    ],
    shown: ['username', 'type', 'ip', 'user_agent', 'reason', 'status', 'datetime'],
    dateRangeDays: DAYS,
    order: '-datetime',
    phone: {
      icon: LogIn,
      meta: (row) => <TimeCell value={valueOf(row, 'datetime')} exact />,
      note: (row) => (
        <>
          <MonoCell value={row.ip} />
          {!row.status && (
            <>
              {' · '}
              <Reason code={row.reason} />
            </>
          )}
        </>
      ),
      status: (row) => <Outcome ok={row.status} />,
    },
  },
});

const ftpLog = defineResource<FtpRow, 'audits/ftp-logs/'>({
  name: 'FtpLogTable',
  api: 'audits/ftp-logs/',
  routes: { names: { list: 'FtpLog' }, paths: { list: '/audits/ftp-log' }, titles: { list: 'nav:ftp_log' } },
  icon: FileDown,
  nameOf: (row) => row.filename,
  noun: { one: 'audits:ftp.one', many: 'audits:ftp.many', what: 'audits:ftp.what' },
  can: READ_ONLY,
  list: {
    columns: [
      'user',
      'asset',
      'system_user',
      mono('remote_addr'),
      'operate',
      mono('filename'),
      { key: 'is_success', cell: (row) => <TransferOutcome row={row} /> },
      exact('date_start'),
      mono('sha256'),
    ],
    shown: ['user', 'asset', 'system_user', 'remote_addr', 'operate', 'filename', 'is_success', 'date_start'],
    dateRangeDays: DAYS,
    order: '-date_start',
    phone: {
      icon: FileDown,
      meta: (row) => <TimeCell value={valueOf(row, 'date_start')} exact />,
      note: (row) => visible([row.operate_display, row.user, row.asset].join(' · ')),
      status: (row) => <TransferOutcome row={row} />,
    },
  },
});

const operateLog = defineResource<OperateRow, 'audits/operate-logs/'>({
  name: 'OperateLogTable',
  api: 'audits/operate-logs/',
  routes: {
    names: { list: 'OperateLog' },
    paths: { list: '/audits/operate-log' },
    titles: { list: 'nav:operate_log' },
  },
  icon: ScrollText,
  nameOf: (row) => row.resource_display,
  noun: { one: 'audits:operate.one', many: 'audits:operate.many', what: 'audits:operate.what' },
  can: READ_ONLY,
  list: {
    columns: [
      exact('datetime'),
      { key: 'user', cell: (row) => <TextCell value={row.user_display} /> },
      'action',
      'resource_type',
      { key: 'resource', cell: (row) => <TextCell value={row.resource_display} /> },
      {
        key: 'changes',
        label: 'audits:event.content',
        sortable: false,
        cell: (row) => <ChangedFields changes={row.changes} />,
      },
      mono('remote_addr'),
      'org_name',
    ],
    shown: ['datetime', 'user', 'action', 'resource_type', 'resource', 'changes', 'remote_addr'],
    dateRangeDays: DAYS,
    order: '-datetime',
    details: (row) => <EventDetails row={row} />,
    phone: {
      icon: ScrollText,
      meta: (row) => <TimeCell value={valueOf(row, 'datetime')} exact />,
      note: (row) =>
        visible(
          [row.user_display, valueOf(row, 'action_display'), valueOf(row, 'resource_type_display')].join(
            ' · ',
          ),
        ),
    },
  },
});

const passwordChangeLog = defineResource<PasswordChangeRow, 'audits/password-change-logs/'>({
  name: 'PasswordChangeLogTable',
  api: 'audits/password-change-logs/',
  routes: {
    names: { list: 'PasswordChangeLog' },
    paths: { list: '/audits/password-change-log' },
    titles: { list: 'nav:password_change_log' },
  },
  icon: KeyRound,
  nameOf: (row) => row.user,
  noun: { one: 'audits:password.one', many: 'audits:password.many', what: 'audits:password.what' },
  can: READ_ONLY,
  list: {
    columns: ['user', 'change_by', mono('remote_addr'), exact('datetime')],
    dateRangeDays: DAYS,
    order: '-datetime',
    phone: {
      icon: KeyRound,
      meta: (row) => <TimeCell value={valueOf(row, 'datetime')} exact />,
      note: (row) => translate('audits:password.by', { by: visible(row.change_by) }),
    },
  },
});

export function LoginLogPage() {
  return <ResourceList resource={loginLog} />;
}

export function FtpLogPage() {
  return <ResourceList resource={ftpLog} />;
}

export function OperateLogPage() {
  return <ResourceList resource={operateLog} />;
}

export function PasswordChangeLogPage() {
  return <ResourceList resource={passwordChangeLog} />;
}
