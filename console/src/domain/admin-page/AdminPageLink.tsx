import type { ReactNode } from 'react';
import { adminPageRole } from '#/lib/permissions';
import { isAdminPage, rememberRole, useSession } from '#/lib/session';
import { type ButtonLook, buttonLook } from '#/ui/button';
import { LinkButton } from '#/ui/link';

interface AdminPageLinkProps extends ButtonLook {
  readonly to: string;
  readonly newTab?: boolean;
  readonly children: ReactNode;
}

/**
 * A link to a screen of the admin page that also works on the user page: the console is loaded again with the role of
 * the admin page. Show it to administrators only.
 */
export function AdminPageLink({
  to,
  newTab = false,
  children,
  kind,
  size,
  icon: IconOf,
}: AdminPageLinkProps) {
  const { currentRole, permissions, profile } = useSession();
  if (isAdminPage(currentRole)) {
    return (
      <LinkButton to={to} newTab={newTab} kind={kind} size={size} icon={IconOf}>
        {children}
      </LinkButton>
    );
  }
  return (
    <a
      href={`/ui${to}`}
      className="pt-button"
      {...(newTab ? { target: '_blank', rel: 'noreferrer' } : {})}
      {...buttonLook({ kind, size })}
      onClick={() => rememberRole(profile.username, adminPageRole(permissions))}
    >
      {IconOf && <IconOf aria-hidden />}
      {children}
    </a>
  );
}
