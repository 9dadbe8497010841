import { describe, expect, it } from 'vitest';
import { accountsOf, applicationsIn, assetsOf, whoOf } from './named';
import { validityOf } from './validity';

const NOW = new Date('2026-11-22T12:00:00Z');

const VALID = {
  is_active: true,
  date_start: '2026/01/01 00:00:00 +0000',
  date_expired: '2126/01/01 00:00:00 +0000',
  users: ['u'],
  user_groups: [],
  assets: [],
  nodes: ['n'],
};

describe('the state of a permission', () => {
  it.each([
    ['valid', {}],
    ['inactive', { is_active: false, users: [] }],
    ['expired', { date_expired: '2026/11/22 12:00:00 +0000' }],
    ['not_started', { date_start: '2026/11/23 12:00:00 +0000' }],
    ['nobody', { users: [] }],
    ['nothing', { nodes: [] }],
  ])('is %s', (key, change) => {
    expect(validityOf({ ...VALID, ...change }, NOW).key).toBe(key);
  });

  it('counts the hours of the last day and the days of the last week', () => {
    const endsAt = (date_expired: string) => validityOf({ ...VALID, date_expired }, NOW);
    expect(endsAt('2026/11/22 12:30:00 +0000')).toMatchObject({ key: 'ends_in_hours', count: 1 });
    expect(endsAt('2026/11/22 19:30:00 +0000')).toMatchObject({ key: 'ends_in_hours', count: 7 });
    expect(endsAt('2026/11/25 13:00:00 +0000')).toMatchObject({ key: 'ends_in_days', count: 3 });
    expect(endsAt('2026/11/29 12:00:00 +0000').key).toBe('valid');
  });
});

describe('what a permission names', () => {
  const row = {
    users: ['u1'],
    users_display: ['Li (night shift)(li)'],
    user_groups: ['g1'],
    user_groups_display: ['Release team'],
    assets: ['a1'],
    assets_display: ['web-01(192.0.2.1)'],
    nodes: ['n1'],
    nodes_display: ['/Default/web/front'],
    system_users: ['s1'],
    system_users_display: ['deploy'],
  };

  it('has name, detail and page, groups and nodes first', () => {
    expect(whoOf(row).map(({ name, detail, to }) => [name, detail, to])).toEqual([
      ['Release team', '', '/users/groups/g1'],
      ['Li (night shift)', 'li', '/users/users/u1'],
    ]);
    expect(assetsOf(row).map(({ name, detail, to }) => [name, detail, to])).toEqual([
      ['front', '/Default/web/front', '/assets/assets?node=n1'],
      ['web-01', '192.0.2.1', '/assets/assets/a1'],
    ]);
    const named = {
      category: 'db',
      type_display: 'MySQL',
      applications: ['o1'],
      applications_display: ['orders (old)'],
    } as const;
    expect(applicationsIn(named).map(({ name, detail, to }) => [name, detail, to])).toEqual([
      ['orders (old)', 'MySQL', '/applications/databases/o1'],
    ]);
    expect(accountsOf(row).map(({ name, to }) => [name, to])).toEqual([
      ['deploy', '/assets/system-users/s1'],
    ]);
  });
});
