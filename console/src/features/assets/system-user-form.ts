import { currentSession } from '#/lib/session';
import { commandFilterOptions } from '#/domain/remotes';
import {
  type CreateEntry,
  type FieldContext,
  type FieldGroup,
  type FormDefinition,
  type FormValues,
  type NamesOf,
} from '#/resource/define';
import { systemUserListOf, systemUserRoutes } from './addresses';

/** Asks whether the secret is changed; only then its fields are shown. */
const CHANGES_SECRET = 'update_password';
type Own = typeof CHANGES_SECRET;
type Field = NamesOf<'assets/system-users/', Own>['written'];

const DATABASES = new Set(['mysql', 'postgresql', 'mariadb', 'oracle']);
const PUSHED = new Set(['ssh', 'rdp']);

function group(title: string, ...fields: readonly Field[]): FieldGroup<Field> {
  return { title, fields };
}

/** Groups of the form, by type and protocol. `type` is never shown: it comes with the address or the object. */
function groups({ values }: FieldContext): readonly FieldGroup<Field>[] {
  const protocol = String(values['protocol']);
  const secrets: readonly Field[] = ['auto_generate_key', CHANGES_SECRET, 'password'];
  if (values['type'] === 'admin') {
    return [
      group('assets:form.basic', 'type', 'name', 'protocol', 'username'),
      group('assets:form.auth', CHANGES_SECRET, 'password', 'private_key'),
      group('command-filters:many_title', 'cmd_filters'),
      group('assets:form.other', 'priority', 'sftp_root', 'comment'),
    ];
  }
  if (protocol === 'k8s') {
    return [
      group('assets:form.basic', 'type', 'name', 'protocol'),
      group('assets:form.auth', CHANGES_SECRET, 'token'),
      group('assets:form.other', 'priority', 'comment'),
    ];
  }
  if (DATABASES.has(protocol)) {
    return [
      group('assets:form.basic', 'type', 'name', 'login_mode', 'username', 'priority', 'protocol'),
      group('assets:form.auth', CHANGES_SECRET, 'password'),
      group('assets:form.other', 'comment'),
    ];
  }
  const basic = group('assets:form.basic', 'type', 'name', 'protocol', 'username', 'username_same_with_user');
  if (protocol === 'rdp') {
    return [
      basic,
      group('assets:form.auth', 'login_mode', ...secrets, 'ad_domain'),
      group('assets:form.push', 'auto_push', 'system_groups'),
      group('assets:form.other', 'priority', 'comment'),
    ];
  }
  if (protocol !== 'ssh') {
    return [
      basic,
      group('assets:form.auth', 'login_mode', CHANGES_SECRET, 'password'),
      group('assets:form.other', 'priority', 'comment'),
    ];
  }
  return [
    basic,
    group('assets:form.auth', 'login_mode', ...secrets, 'private_key'),
    group('assets:form.push', 'auto_push', 'sudo', 'shell', 'home', 'system_groups'),
    group('command-filters:many_title', 'cmd_filters'),
    group('assets:form.other', 'priority', 'sftp_root', 'comment'),
  ];
}

function isManual({ values }: FieldContext): boolean {
  return values['login_mode'] === 'manual';
}

function isSecretHidden(context: FieldContext): boolean {
  const { mode, values } = context;
  if (isManual(context)) return true;
  return mode === 'update' ? values[CHANGES_SECRET] !== true : values['auto_generate_key'] === true;
}

function isNotPushed(context: FieldContext): boolean {
  return isManual(context) || context.values['auto_push'] !== true;
}

function isDynamic({ values }: FieldContext): boolean {
  return values['username_same_with_user'] === true;
}

function homeOf(values: FormValues): string {
  const username = String(values['username'] ?? '').trim();
  return username === '' || values['username_same_with_user'] === true ? '' : `/home/${username}`;
}

export const systemUserForm: FormDefinition<NamesOf<'assets/system-users/', Own>['written']> = {
  groups,
  initial: (query) => {
    const protocol = query['type'] === 'admin' ? 'ssh' : (query['protocol'] ?? 'ssh');
    return {
      type: query['type'] === 'admin' ? 'admin' : 'common',
      protocol,
      login_mode: 'auto',
      auto_push: PUSHED.has(protocol),
      sudo: '/bin/whoami',
      shell: '/bin/bash',
      sftp_root: 'tmp',
      priority: 81,
    };
  },
  fields: {
    type: { isHidden: () => true },
    protocol: { isDisabled: () => true, control: 'select' },
    username: { isHidden: isDynamic, help: 'assets:form.username_help' },
    username_same_with_user: { control: 'switch', help: 'assets:form.dynamic_help' },
    login_mode: {
      help: ({ values }) =>
        values['login_mode'] === 'manual' ? 'assets:form.manual_help' : 'assets:form.auto_help',
    },
    auto_generate_key: {
      control: 'switch',
      isHidden: (context) => context.mode === 'update' || isManual(context),
      help: 'assets:form.generate_help',
    },
    [CHANGES_SECRET]: {
      label: 'assets:form.update_password',
      control: 'switch',
      local: true,
      isHidden: (context) => context.mode === 'create' || isManual(context),
      help: ({ stored }) =>
        Array.isArray(stored?.['stored_secrets']) && stored['stored_secrets'].length === 0
          ? 'assets:form.no_secret_help'
          : 'assets:form.update_password_help',
    },
    password: { control: 'password', isHidden: isSecretHidden, help: 'assets:form.secret_help' },
    private_key: {
      control: 'key',
      placeholder: '-----BEGIN OPENSSH PRIVATE KEY-----',
      isHidden: isSecretHidden,
      help: 'assets:form.private_key_help',
    },
    token: { control: 'textarea', required: true, isHidden: isSecretHidden, help: 'assets:form.token_help' },
    ad_domain: { isHidden: isManual, placeholder: 'example.com', help: 'assets:form.ad_domain_help' },
    auto_push: {
      control: 'switch',
      isHidden: isManual,
      help: ({ values }) =>
        values['protocol'] === 'rdp' ? 'assets:form.push_rdp_help' : 'assets:form.push_help',
    },
    sudo: { control: 'textarea', isHidden: isNotPushed, help: 'assets:form.sudo_help' },
    shell: { isHidden: isNotPushed },
    home: {
      isHidden: (context) => isNotPushed(context) || isDynamic(context),
      follows: homeOf,
      help: ({ mode }) => (mode === 'create' ? 'assets:form.home_help' : 'assets:form.home_update_help'),
    },
    system_groups: { isHidden: isNotPushed, help: 'assets:form.groups_help' },
    cmd_filters: { remote: commandFilterOptions, multiple: true, help: 'command-filters:of_system_user' },
    priority: { help: 'assets:form.priority_help' },
    sftp_root: { help: 'assets:form.sftp_help' },
    comment: { control: 'textarea' },
  },
  toPayload: (payload, { mode, values }) =>
    mode === 'create' ? { ...payload, type: values['type'] } : payload,
  backTo: (source) => systemUserListOf(String(source['type'])),
};

const HOST = ['ssh', 'rdp', 'vnc', 'telnet'];
const LICENSED = ['postgresql', 'mariadb', 'oracle'];

// i18n: assets:protocol_name.*
// i18n: assets:create_group.*
function entries(name: string, protocols: readonly string[]): readonly CreateEntry[] {
  return protocols.map((protocol, index) => ({
    id: protocol,
    label: `assets:protocol_name.${protocol}`,
    to: `${systemUserRoutes.paths.create ?? ''}?protocol=${protocol}`,
    ...(index === 0 ? { group: `assets:create_group.${name}` } : {}),
  }));
}

/** What can be created: one entry for each protocol, some only with a licence. */
export function createMenu(): readonly CreateEntry[] {
  const isLicensed = currentSession()?.settings.XPACK_LICENSE_IS_VALID === true;
  return [
    ...entries('host', HOST),
    ...entries('database', ['mysql', ...(isLicensed ? LICENSED : [])]),
    ...entries('other', ['k8s']),
  ];
}
