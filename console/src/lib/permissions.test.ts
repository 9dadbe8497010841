import { expect, test } from 'vitest';
import { bitsOfRoles, Bit, hasAdminPage, hasUserPage, mayUse, Role, rolesOf, satisfies } from './permissions';

test('[S6-001] [S6-002] [S6-003] [S6-004] bits have the specified values', () => {
  expect(Bit).toEqual({ use: 1, audit: 2, admin: 16, super: 128 });
});

test('[S6-005] [S6-006] [S6-007] [S6-008] [S6-009] [S6-010] roles contain the specified bits', () => {
  expect(Role).toEqual({ SuperAdmin: 146, SuperAuditor: 131, OrgAdmin: 18, OrgAuditor: 3, User: 1, Anon: 0 });
});

test('[S6-012] a requirement is met only when all its bits are included', () => {
  expect(satisfies(Role.OrgAdmin, Bit.admin | Bit.audit)).toBe(true);
  expect(satisfies(Role.OrgAuditor, Bit.admin | Bit.audit)).toBe(false);
  expect(satisfies(Role.Anon, 0)).toBe(true);
});

test('[S6-013] [S6-014] pages need their bits', () => {
  for (const bit of [Bit.super, Bit.admin, Bit.audit]) expect(hasAdminPage(bit)).toBe(true);
  expect(hasAdminPage(Bit.use)).toBe(false);
  expect(hasUserPage(Role.User)).toBe(true);
  expect(hasUserPage(Role.OrgAdmin)).toBe(false);
});

test.each([
  ['[S6-015] the system role Admin', 'Admin', ['User'], [Role.SuperAdmin, Role.User]],
  ['[S6-016] an organization role Admin', 'User', ['Admin', 'User'], [Role.OrgAdmin, Role.User]],
  ['[S6-017] the system role Auditor', 'Auditor', [], [Role.OrgAuditor]],
  ['[S6-017] an organization role Auditor', 'User', ['Auditor'], [Role.OrgAuditor]],
  ['[S6-018] everybody else', 'User', ['User'], [Role.User]],
])('%s gives its roles', (_, role, orgRoles, expected) => {
  expect(rolesOf({ role, current_org_roles: orgRoles })).toEqual(expected);
});

test.each([
  ['Admin', { OrgAdmin: true, OrgAuditor: false, SuperAdmin: true, SuperAuditor: false, User: false }],
  ['Auditor', { OrgAdmin: true, OrgAuditor: true, SuperAdmin: true, SuperAuditor: true, User: false }],
] as const)(
  '[S6-011] route metadata that names %s is satisfied by the role and those above',
  (name, expected) => {
    const { SuperAdmin, SuperAuditor, OrgAdmin, OrgAuditor, User } = Role;
    const roles = { OrgAdmin, OrgAuditor, SuperAdmin, SuperAuditor, User };
    const answers = Object.entries(roles).map(([role, bits]) => [role, mayUse(bits, name)]);
    expect(Object.fromEntries(answers)).toEqual(expected);
  },
);

test('permissions by name require their bits', () => {
  const auditor = bitsOfRoles([Role.OrgAuditor]);
  expect(mayUse(auditor, 'audit')).toBe(true);
  expect(mayUse(auditor, 'admin')).toBe(false);
  expect(mayUse(Role.SuperAdmin, 'super')).toBe(true);
  expect(mayUse(Role.SuperAuditor, 'super')).toBe(false);
  expect(mayUse(Role.Anon, 'any')).toBe(true);
});
