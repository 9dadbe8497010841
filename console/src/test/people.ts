import { http as mock, HttpResponse } from 'msw';
import { choices, field, pageOf } from './recorded';

const written = {
  name: field('Name', { required: true }),
  username: field('Username', { required: true }),
  email: field('Email', { type: 'email', required: true }),
  groups: field('User group', { type: 'field' }),
  password_strategy: field('Password strategy', {
    type: 'choice',
    write_only: true,
    default: 'email',
    choices: choices('email', 'custom'),
  }),
  password: field('Password', { write_only: true }),
  need_update_password: field('Must change password', { type: 'boolean' }),
  public_key: field('Public key', { write_only: true, max_length: undefined }),
  mfa_level: field('MFA', { type: 'choice', choices: choices(0, 1, 2), default: 0 }),
  source: field('Source', {
    type: 'choice',
    choices: choices('local', 'ldap', 'openid', 'radius', 'cas', 'saml'),
  }),
  role: field('Role', { type: 'choice', choices: choices('Admin', 'Auditor', 'User') }),
  org_roles: field('Organization role', {
    type: 'list',
    child: { ...field('', { type: 'choice' }), choices: choices('Admin', 'Auditor', 'User') },
  }),
  date_expired: field('Date expired', { type: 'datetime' }),
  is_active: field('Active', { type: 'boolean', default: true }),
  phone: field('Phone'),
  wechat: field('WeChat'),
  comment: field('Comment', { max_length: undefined }),
};
const shown = {
  ...written,
  ...Object.fromEntries(
    ['groups_display', 'total_role_display', 'is_valid', 'login_blocked', 'mfa_enabled', 'last_login'].map(
      (key) => [key, field(key, { read_only: true })],
    ),
  ),
};
const metadata = { name: 'User', actions: { GET: shown, POST: written, PUT: written } };

/** A row of the users list. */
export const person = (id: string, more = {}) => ({
  id,
  name: `Name ${id}`,
  username: id,
  email: `${id}@example.invalid`,
  source: 'local',
  role: 'User',
  is_active: true,
  is_valid: true,
  is_expired: false,
  login_blocked: false,
  mfa_enabled: false,
  mfa_level: 0,
  groups: [],
  org_roles: ['Auditor'],
  comment: 'nights',
  can_update: true,
  can_delete: true,
  ...more,
});
/** One person who may be changed and deleted, and one who may not. */
export const people = [person('li'), person('boss', { can_update: false, can_delete: false })];

/** Answers of the user endpoints. */
export const usersApi = () => [
  mock.options('*/api/v1/users/*', () => HttpResponse.json(metadata)),
  mock.get('*/api/v1/users/users/suggestion/', () =>
    HttpResponse.json(pageOf([{ id: 'g1', name: 'Guest', username: 'guest' }])),
  ),
  mock.get('*/api/v1/users/invitations/', () => HttpResponse.json([])),
  mock.get('*/api/v1/users/member-invitations/', () => HttpResponse.json([])),
  mock.get('*/api/v1/users/users-groups-relations/', () => HttpResponse.json(pageOf([]))),
  mock.get('*/api/v1/users/groups/', () => HttpResponse.json(pageOf([]))),
  mock.get('*/api/v1/users/users/:id/', ({ params }) =>
    HttpResponse.json(
      people.find((candidate) => candidate.id === params['id']) ?? person(String(params['id'])),
    ),
  ),
  mock.get('*/api/v1/users/users/', () => HttpResponse.json(pageOf(people))),
  mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
];
