/** Permission bits and roles of the specification, section 6. */
export const Bit = { use: 1, audit: 2, admin: 16, super: 128 } as const;

export const Role = {
  SuperAdmin: Bit.super | Bit.admin | Bit.audit,
  SuperAuditor: Bit.super | Bit.audit | Bit.use,
  OrgAdmin: Bit.admin | Bit.audit,
  OrgAuditor: Bit.audit | Bit.use,
  User: Bit.use,
  Anon: 0,
} as const;

/** Any of these opens the admin page. */
const ADMIN_PAGE_MASK = Bit.super | Bit.admin | Bit.audit;

/**
 * Requirement of a route or action. `any`: every signed-in person. Route metadata can also name the roles `Admin` and
 * `Auditor` of an organization, by the bit that makes the role.
 */
export type Permission = 'any' | 'use' | 'audit' | 'admin' | 'super' | 'Admin' | 'Auditor';

const REQUIRED: Record<Permission, number> = {
  any: 0,
  use: Bit.use,
  audit: Bit.audit,
  admin: Bit.admin,
  // As the server asks: a system auditor has the bit super, too, but may not open what is for system administrators.
  super: Bit.super | Bit.admin,
  Admin: Bit.admin,
  Auditor: Bit.audit,
};

export function bitsOf(permission: Permission): number {
  return REQUIRED[permission];
}

/** True when all required bits are in the role. */
export function satisfies(role: number, required: number): boolean {
  return (role & required) === required;
}

export function mayUse(role: number, permission: Permission): boolean {
  return satisfies(role, REQUIRED[permission]);
}

export function hasAdminPage(bits: number): boolean {
  return (bits & ADMIN_PAGE_MASK) !== 0;
}

export function hasUserPage(bits: number): boolean {
  return satisfies(bits, Bit.use);
}

/** The part of the profile from which the roles are computed. */
export interface RoleSource {
  readonly role: string;
  readonly current_org_roles: readonly string[];
}

/** Roles of a person in the current organization, strongest first. */
export function rolesOf({ role, current_org_roles: orgRoles }: RoleSource): readonly number[] {
  if (role === 'Admin') return [Role.SuperAdmin, Role.User];
  if (orgRoles.includes('Admin')) return [Role.OrgAdmin, Role.User];
  if (role === 'Auditor' || orgRoles.includes('Auditor')) return [Role.OrgAuditor];
  return [Role.User];
}

export function bitsOfRoles(roles: readonly number[]): number {
  let bits = 0;
  for (const role of roles) bits |= role;
  return bits;
}

/** The role used on the admin page: the admin and audit bits, without the bit for using assets. */
export function adminPageRole(bits: number): number {
  return bits & (Role.SuperAdmin | Bit.audit);
}
